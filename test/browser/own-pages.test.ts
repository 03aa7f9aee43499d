import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { firstOffer, sendAccept, sendAsk } from '../../src/cli/conversation.ts';
import { makeCertificates } from '../engines/certificates.ts';
import { needs } from '../engines/packages.ts';
import { startProxy, type ProxyTerms } from '../harness/proxy.ts';
import { startTestService } from '../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../harness/site.ts';
import { noBrowser, openChromium } from './chromium.ts';

const PUBLIC = 'planner.example.org';
const PREFIX = '/space/planner';

const hasSix = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.address === '::1');
const canTalkTls = needs('openssl') === undefined;

type Settings = Parameters<typeof startTestService>[2];
/** How a browser reaches the service: at an address of its machine, or by a proxy. */
type Way = {
  readonly name: string;
  /** what the user types, given the service's port */
  readonly base: (port: string) => string;
  readonly settings?: Settings;
  readonly proxy?: ProxyTerms & { readonly secure?: boolean };
};

/** A browser that came this way, with an accepted job to look at; `complaints` has its errors. */
type Coming = {
  readonly page: Page;
  readonly at: string;
  readonly job: string;
  readonly complaints: readonly string[];
};

const WAYS: readonly Way[] = [
  { name: 'at 127.0.0.1', base: (port) => `http://127.0.0.1:${port}` },
  { name: 'at localhost', base: (port) => `http://localhost:${port}` },
  ...(hasSix
    ? [
        {
          name: 'at [::1]',
          base: (port: string) => `http://[::1]:${port}`,
          settings: { host: '::1' },
        },
      ]
    : []),
  {
    name: 'at a name of HOSTS',
    base: (port) => `http://planner.lan:${port}`,
    settings: { hosts: ['planner.lan'] },
  },
  {
    name: 'by a proxy, with PUBLIC_URL',
    base: () => `http://${PUBLIC}`,
    settings: { publicUrl: `http://${PUBLIC}` },
    proxy: {},
  },
  {
    name: 'below a path of a proxy, with PUBLIC_URL',
    base: () => `http://${PUBLIC}${PREFIX}`,
    settings: { publicUrl: `http://${PUBLIC}${PREFIX}` },
    proxy: { prefix: PREFIX },
  },
  {
    name: 'below a path of a proxy that is trusted',
    base: () => `http://${PUBLIC}${PREFIX}`,
    settings: { trustProxy: 'loopback', hosts: [PUBLIC] },
    proxy: {
      prefix: PREFIX,
      headers: ({ host }) => ({ 'x-forwarded-host': host, 'x-forwarded-prefix': PREFIX }),
    },
  },
  ...(canTalkTls
    ? [
        {
          name: 'below a path by TLS, with PUBLIC_URL',
          base: () => `https://${PUBLIC}${PREFIX}`,
          settings: { publicUrl: `https://${PUBLIC}${PREFIX}` },
          proxy: { prefix: PREFIX, secure: true },
        },
        {
          name: 'by TLS and a proxy that keeps the name and is trusted',
          base: () => `https://${PUBLIC}`,
          settings: { trustProxy: 'loopback', hosts: [PUBLIC] },
          proxy: {
            secure: true,
            headers: ({ host }: { readonly host?: unknown }) => ({
              host: String(host),
              'x-forwarded-proto': 'https',
            }),
          },
        },
      ]
    : []),
];

(noBrowser === undefined ? describe : describe.skip).each(WAYS)(
  `pages of the service in Chromium (${noBrowser ?? 'here'}), $name,`,
  (way) => {
    const undo: (() => Promise<unknown>)[] = [];
    let come: Coming;
    beforeAll(async () => {
      come = await comeBy(way);
    });
    afterAll(async () => {
      for (const step of undo.toReversed()) await step();
    });

    const comeBy = async ({ base, settings, proxy }: Way): Promise<Coming> => {
      const service = await startTestService(SMALL_SITE, SMALL_RULES, settings);
      undo.push(service.close);
      const names: Record<string, string> = { 'planner.lan': '127.0.0.1' };
      if (proxy !== undefined) {
        const folder = await mkdtemp(join(tmpdir(), 'planner-tls-'));
        undo.push(() => rm(folder, { recursive: true, force: true }));
        const front = await startProxy(service.url, {
          ...proxy,
          ...(proxy.secure === true && { tls: await certificate(folder) }),
        });
        undo.push(front.close);
        names[PUBLIC] = `127.0.0.1:${front.port}`;
      }
      const offer = firstOffer(await sendAsk(service.url, SMALL_ASK));
      await sendAccept({ ...offer, href: `${service.url}/offers/${offer.ident}` });
      const browser = await openChromium(names);
      undo.push(() => browser.close());
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
      const complaints: string[] = [];
      page.on(
        'console',
        (message) =>
          void (
            message.text().includes('Content Security Policy') && complaints.push(message.text())
          ),
      );
      page.on('pageerror', (error) => void complaints.push(error.message));
      // Chromium asks every site for an icon by itself.
      page.on(
        'response',
        (response) =>
          void (
            response.status() >= 400 &&
            !response.url().endsWith('/favicon.ico') &&
            complaints.push(`${response.status()} ${response.url()}`)
          ),
      );
      return { page, at: base(new URL(service.url).port), job: offer.ident, complaints };
    };

    test('the front page is the console, and leads to the API page, which shows the contract', async () => {
      const { page, at, complaints } = come;
      await page.goto(`${at}/`);
      await page.getByRole('heading', { name: 'Ask', exact: true }).waitFor();
      await page.getByRole('link', { name: 'API' }).click();
      await page.waitForURL(`${at}/docs`);
      await page
        .getByText('Ask whether the service can execute a task, and with which resources')
        .first()
        .waitFor();
      // The viewer sends a request to the contract's server.
      expect(
        await page.evaluate(async (here) => {
          const {
            servers: [server],
          } = Object(await (await fetch('openapi.json')).json());
          return (await fetch(`${new URL(server.url, here).href.replace(/\/$/, '')}/livez`)).text();
        }, page.url()),
      ).toBe('alive\n');
      expect(complaints).toEqual([]);
    });

    test('jobs are listed, looked at, aborted and destroyed', async () => {
      const { page, at, job, complaints } = come;
      await page.goto(`${at}/jobs`);
      await page.getByRole('link', { name: job }).click();
      await page.waitForURL(`${at}/jobs/${job}`);
      await page.getByRole('button', { name: 'Abort' }).click();
      await page.getByText('ABORTED', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Destroy the job and its results' }).click();
      await page.waitForURL(`${at}/jobs`);
      expect(await page.getByRole('link', { name: job }).count()).toBe(0);
      expect(complaints).toEqual([]);
    });
  },
);

async function certificate(
  folder: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const { server } = makeCertificates(folder);
  return { cert: await readFile(server.cert, 'utf8'), key: await readFile(server.key, 'utf8') };
}
