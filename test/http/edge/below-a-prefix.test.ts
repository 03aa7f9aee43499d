import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { load } from 'js-yaml';
import { prefixOf } from '../../../src/http/edge/base-url.ts';
import { urlOf } from '../../../src/http/edge/listen.ts';
import { startProxy, type Proxy } from '../../harness/proxy.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const PREFIX = '/space/planner';

/** The addresses in a page, as a browser finds them. */
async function namedBy(page: Response): Promise<readonly URL[]> {
  return [...(await page.text()).matchAll(/(?:src|href|spec-url)="([^"]+)"/g)]
    .map(([, address = '']) => new URL(address, page.url))
    .filter(({ protocol }) => protocol !== 'data:');
}

describe.each([
  ['a proxy that says nothing of it', () => ({}), {}],
  [
    'a proxy that says X-Forwarded-Prefix',
    () => ({ 'x-forwarded-prefix': PREFIX }),
    { trustProxy: 'loopback' },
  ],
  ['a proxy and PUBLIC_URL', () => ({}), { publicUrl: `http://localhost:1${PREFIX}` }],
] as const)('below a path of %s', (_, headers, settings) => {
  let service: TestService;
  let proxy: Proxy;
  let base: string;
  beforeAll(async () => {
    service = await startTestService(SMALL_SITE, SMALL_RULES, settings);
    proxy = await startProxy(service.url, { prefix: PREFIX, headers });
    base = `http://127.0.0.1:${proxy.port}${PREFIX}`;
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
  });

  test('the front page leads to the API page, and does not leave the path', async () => {
    for (const from of ['/', '/docs/']) {
      const page = await fetch(`${base}${from}`);
      expect([page.status, page.url]).toEqual([200, `${base}/docs`]);
    }
  });

  test('everything that the API page names is there', async () => {
    const addresses = await namedBy(await fetch(`${base}/docs`));
    expect(addresses.length).toBeGreaterThanOrEqual(3);
    for (const address of addresses) {
      expect(address.pathname.startsWith(`${PREFIX}/`)).toBe(true);
      expect((await fetch(address)).status).toBe(200);
    }
  });
});

describe('below a path that the service knows', () => {
  let service: TestService;
  let proxy: Proxy;
  let base: string;
  beforeAll(async () => {
    service = await startTestService(SMALL_SITE, SMALL_RULES, { trustProxy: 'loopback' });
    proxy = await startProxy(service.url, {
      prefix: PREFIX,
      headers: ({ host }) => ({ 'x-forwarded-host': host, 'x-forwarded-prefix': PREFIX }),
    });
    base = `http://127.0.0.1:${proxy.port}${PREFIX}`;
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
  });

  test('the contract names it as its server, in YAML and in JSON', async () => {
    const contracts = [
      await (await fetch(`${base}/openapi.json`)).json(),
      load(await (await fetch(`${base}/openapi.yaml`)).text()),
    ];
    expect(contracts.map((contract) => Object(contract).servers)).toEqual([
      [{ url: PREFIX }],
      [{ url: PREFIX }],
    ]);
    expect(contracts[0]).toEqual(contracts[1]);
  });

  test('every link of an answer and of a job is below it', async () => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
    const { response } = Object(
      await (await fetch(`${base}/request`, { method: 'POST', headers, body: SMALL_ASK })).json(),
    );
    const [offer] = response.offers;
    expect(offer.href).toBe(`${base}/offers/${offer.ident}`);
    await fetch(offer.href, { method: 'POST', headers, body: '{"status": "ACCEPTED"}' });
    const page = await fetch(offer.connection.job, {
      headers: { Accept: 'text/html,application/xhtml+xml' },
    });
    const links = await namedBy(page);
    expect(page.headers.get('content-type')).toContain('html');
    expect(links.length).toBeGreaterThan(2);
    expect(links.filter(({ href }) => !href.startsWith(base))).toEqual([]);
  });
});

describe('the path that a proxy says', () => {
  const app = express();
  app.set('trust proxy', 'loopback');
  app.get('/', (request, response) => response.json(prefixOf(request)));
  const server = createServer({ maxHeaderSize: 1024 * 1024 }, app);
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve())));
  afterAll(() => void server.close());
  const prefixFor = async (header: string): Promise<unknown> =>
    (await fetch(urlOf(server, '127.0.0.1'), { headers: { 'X-Forwarded-Prefix': header } })).json();

  test('ends without a slash, and is none where it is no path', async () => {
    for (const [header, prefix] of [
      ['/a', '/a'],
      ['/a/b.c//', '/a/b.c'],
      ['/', ''],
      ['//a', ''],
      ['/../a', ''],
      ['/a/..', ''],
      ['/a/../', ''],
      ['/a, /b', ''],
    ] as const)
      expect([header, await prefixFor(header)]).toEqual([header, prefix]);
  });

  // Looking for the end anew from each slash would take ten minutes, in which nobody is answered.
  test.each([
    ['slashes', '/'],
    ['letters', 'a'],
    ['short parts', '/a'],
    ['dots', '/.'],
  ])(
    'may be 400,000 %s and a mark: it is none',
    async (_, part) => {
      expect(await prefixFor(`/${part.repeat(400_000 / part.length)}!`)).toBe('');
    },
    60_000,
  );
});
