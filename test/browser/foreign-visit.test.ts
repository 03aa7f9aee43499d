import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { noBrowser, openChromium } from './chromium.ts';
import { openForeignSite, type ForeignSite } from './foreign-site.ts';
import { visitPage } from './foreign-visit.ts';

(noBrowser === undefined ? describe : describe.skip)(
  `pages whose requests are lost (${noBrowser ?? 'Chromium'})`,
  () => {
    let site: ForeignSite;
    let browser: Browser;
    /** loses requests for `/lost`, and the first for `/once` */
    let losing: Server;
    let port: number;
    const came: string[] = [];
    const seen: string[] = [];
    beforeAll(async () => {
      site = await openForeignSite();
      browser = await openChromium();
      losing = createServer(({ url = '' }, response) => {
        const isFirst = !came.includes(url);
        came.push(url);
        if (url === '/lost' || (url === '/once' && isFirst)) return void response.destroy();
        seen.push(url);
        response.end();
      }).listen(0, '127.0.0.1');
      await once(losing, 'listening');
      port = Number(Object(losing.address()).port);
    });
    afterAll(async () => {
      await browser?.close();
      losing.closeAllConnections();
      losing.close();
      await site.close();
    });
    const visit = (...paths: readonly string[]): Promise<readonly string[]> => {
      const fetches = paths.map(
        (path) =>
          `fetch('http://127.0.0.1:${port}${path}', { method: 'POST', mode: 'no-cors', body: '1' });`,
      );
      const page = site.put(`<script>${fetches.join('')}</script>`);
      return visitPage(browser, `http://127.0.0.1:${site.port}${page}`, paths, (path) =>
        seen.includes(path),
      );
    };

    test('are opened again until all requests have arrived', async () => {
      expect(await visit('/well', '/once')).toEqual([]);
      expect(seen).toContain('/once');
    });

    test('tell the error of the browser when a request never arrives', async () => {
      expect(await visit('/well', '/lost')).toEqual([
        expect.stringMatching(/^POST \/lost net::ERR_/),
      ]);
    });
  },
);
