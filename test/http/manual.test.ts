import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startProxy, type Proxy } from '../harness/proxy.ts';
import { sendRaw } from '../harness/raw.ts';
import { startTestService, type TestService } from '../harness/service.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    a: { runner: 'process', 'task-types': ['executable'], cores: 1, memory: '1GiB' },
  },
};
const RULES = { destinations: { a: { runner: 'process' } } };
const PREFIX = '/space/planner';

describe.each([
  ['at the top of a host', ''],
  ['below a path', PREFIX],
])('the documents of a service %s', (_, prefix) => {
  let service: TestService;
  let proxy: Proxy;
  let base: string;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    proxy = await startProxy(service.url, { prefix });
    base = `http://127.0.0.1:${proxy.port}${prefix}/docs/`;
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
  });

  test('link only to pages and headings that are there, and all pages can be reached', async () => {
    const pages = await crawl(new URL('index', base));
    const broken = [...pages].flatMap(([from, { links }]) =>
      links
        .filter((link) => !leadsSomewhere(link, pages))
        .map((link) => `${from} → ${link.href.slice(base.length)}`),
    );
    expect(broken).toEqual([]);
    const paths = [...pages.keys()].map((address) => address.slice(base.length));
    for (const path of [
      'index',
      'architecture',
      'errors',
      'tutorials/python',
      'guides/runners/slurm',
      'reference/site-file',
      'adr/0001-postgresql-functions-decide',
      'security',
    ]) {
      expect(paths).toContain(path);
    }
  });

  test('run no script and load nothing from another host', async () => {
    const page = await fetch(new URL('reference/settings', base));
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('script-src');
    const html = await page.text();
    expect(html).not.toMatch(/<script|(?:src|<link[^>]*href)="https?:/);
    const style = await fetch(new URL('../manual.css', page.url));
    expect([style.status, style.headers.get('content-type')]).toEqual([
      200,
      'text/css; charset=utf-8',
    ]);
  });

  test('show their pictures, which come from the service', async () => {
    const page = await fetch(new URL('reference/conversation', base));
    const [, place = '', alt] = /<img src="([^"]+)" alt="([^"]+)"/.exec(await page.text()) ?? [];
    expect(alt).toBe('The calendar in the console');
    const picture = await fetch(new URL(place, page.url));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await fetch(new URL('pictures/offers.md', base))).status).toBe(404);
    expect((await fetch(new URL('pictures/nothing.png', base))).status).toBe(404);
  });

  test('are found by what they say, the page about it first', async () => {
    const page = await fetch(new URL('search?q=site+file+reload', base));
    const html = await page.text();
    const first = /<ol class="hits">\s*<li><a href="([^"]+)"/.exec(html)?.[1] ?? '';
    expect(first).toContain('guides/reload');
    expect((await fetch(new URL(first, page.url))).status).toBe(200);
  });

  test('are found by the beginnings of words, if these have three letters or more', async () => {
    const hits = async (words: string): Promise<number> => {
      const page = await fetch(new URL(`search?q=${words}`, base));
      return (await page.text()).split('<li><a href="').length;
    };
    expect(await hits('glossa')).toBeGreaterThan(await hits('zzqqxx'));
    // Fifty letters that each found all words with them at the beginning took more than a second.
    expect(await hits('gl')).toBe(await hits('zzqqxx'));
  });

  test.each(['<script>alert(1)</script>', '"><img src=x>', '', 'x'.repeat(5000), 'zzqqxx'])(
    'answer a search for %j with a page, and show it as text',
    async (words) => {
      const page = await fetch(new URL(`search?q=${encodeURIComponent(words)}`, base));
      expect(page.status).toBe(200);
      expect(await page.text()).not.toMatch(/<script>|<img/);
    },
  );

  test('are not sent again to who has them', async () => {
    const address = new URL('errors', base);
    const tag = (await fetch(address)).headers.get('etag') ?? '';
    const { host, pathname } = address;
    const again = await sendRaw(base, [
      `GET ${pathname} HTTP/1.1`,
      `Host: ${host}`,
      `If-None-Match: ${tag}`,
    ]);
    expect([again.status, again.body]).toEqual([304, '']);
  });

  test.each(['nothing', '../package.json', '%2e%2e/package.json', 'guides', 'README.md'])(
    'have no page %s',
    async (path) => {
      const page = await fetch(`${base}${path}`);
      expect(page.status).toBe(404);
    },
  );
});

type Crawled = { readonly links: readonly URL[]; readonly anchors: ReadonlySet<string> };

/** All pages that links reach from one page, by their addresses. */
async function crawl(start: URL): Promise<ReadonlyMap<string, Crawled>> {
  const pages = new Map<string, Crawled>();
  const queue = [start];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const address = bare(next);
    if (pages.has(address)) continue;
    const response = await fetch(address);
    if (response.status !== 200) continue;
    const crawled = readPage(response.url, await response.text());
    pages.set(address, crawled);
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
    if (isPage && address.startsWith(bare(new URL('.', start)))) {
      queue.push(...crawled.links.filter(({ href }) => href.startsWith(new URL('.', start).href)));
    }
  }
  return pages;
}

function readPage(address: string, html: string): Crawled {
  const hrefs = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id);
  const links = hrefs.map((href) => new URL(href.replaceAll('&amp;', '&'), address));
  return { links, anchors: new Set(ids) };
}

function leadsSomewhere(link: URL, pages: ReadonlyMap<string, Crawled>): boolean {
  if (link.hostname !== '127.0.0.1' || /\/(?:docs|openapi\.yaml)$/.test(link.pathname)) return true;
  const page = pages.get(bare(link));
  const anchor = decodeURIComponent(link.hash.slice(1));
  return page !== undefined && (anchor === '' || page.anchors.has(anchor));
}

function bare(address: URL): string {
  return address.href.split('#')[0] ?? '';
}
