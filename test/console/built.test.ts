import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { root } from '../harness/import-graph.ts';
import { serveTests } from '../harness/serve.ts';
import { SMALL_RULES, SMALL_SITE } from '../harness/site.ts';

const BUILT = join(root, 'src/generated/console');
/** Bytes, compressed with gzip. */
const MOST_FIRST = 40_000;
const MOST_ALL = 150_000;
const HTML = 'text/html,application/xhtml+xml';

function gzipped(name: string): number {
  return readFileSync(join(BUILT, `${name}.gz`)).length;
}

/** The script of the page and all that it imports at once. */
function firstScripts(page: string): readonly string[] {
  const [, main = ''] = /src="console\/([^"]+)"/.exec(page) ?? [];
  const names = new Set([main]);
  for (const name of names) {
    const text = readFileSync(join(BUILT, name), 'utf8');
    for (const [, next = ''] of text.matchAll(/from"\.\/([^"]+\.js)"/g)) names.add(next);
    for (const [, next = ''] of text.matchAll(/import"\.\/([^"]+\.js)"/g)) names.add(next);
  }
  return [...names];
}

describe('the built console', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  const names = readdirSync(BUILT);

  test('has at most 40 kB of script before the first screen, and 150 kB in all', () => {
    const first = firstScripts(page).reduce((sum, name) => sum + gzipped(name), 0);
    const all = names.filter((name) => /\.(?:js|css|html)$/.test(name)).map(gzipped);
    expect(first).toBeGreaterThan(10_000);
    expect(first).toBeLessThanOrEqual(MOST_FIRST);
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_ALL);
  });

  test('names files by their content, by relative addresses, and has the licences of what is in them', () => {
    const named = [...page.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(named).toHaveLength(2);
    for (const name of named) {
      expect(name).toMatch(/^console\/[\w-]+-[A-Z0-9]{8}\.(?:js|css)$/);
      expect(existsSync(join(BUILT, name.slice('console/'.length)))).toBe(true);
    }
    const licences = readFileSync(join(BUILT, 'licences.txt'), 'utf8');
    for (const name of ['preact ', '@preact/signals ', 'openapi-fetch ', 'js-yaml '])
      expect(licences).toContain(name);
    expect(licences.match(/MIT License/g)?.length).toBeGreaterThanOrEqual(4);
  });
});

describe('the routes of the console', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);
  const get = (path: string, headers: Readonly<Record<string, string>>) =>
    fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

  test('browsers get the page, which is asked for again each time, and others the API page', async () => {
    const page = await get('/', { Accept: HTML });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const other = await get('/', { Accept: '*/*' });
    expect([other.status, other.headers.get('location')]).toEqual([303, 'docs']);
  });

  test.each(['br', 'gzip', 'identity'])(
    'files are kept for a year, also as %s',
    async (encoding) => {
      const page = await (await get('/', { Accept: HTML })).text();
      const [, name = ''] = /src="([^"]+)"/.exec(page) ?? [];
      const file = await get(`/${name}`, { 'Accept-Encoding': encoding });
      expect(file.status).toBe(200);
      expect(file.headers.get('content-encoding')).toBe(encoding === 'identity' ? null : encoding);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(await file.text()).toBe(
        readFileSync(join(BUILT, name.slice('console/'.length)), 'utf8'),
      );
      expect((await get('/console/main-00000000.js', {})).status).toBe(404);
      expect((await get('/console/..%2findex.html', {})).status).toBe(404);
    },
  );

  test('a browser that follows a link to an offer or an explanation gets its screen', async () => {
    const leads = async (path: string): Promise<string> => {
      const { headers, url } = await get(path, { Accept: HTML });
      return new URL(headers.get('location') ?? '', url).href.slice(service.url.length);
    };
    expect(await leads('/offers/7')).toBe('/#/offers/7');
    expect(await leads('/offers/7/')).toBe('/#/offers/7');
    expect(await leads('/asks/7/explain')).toBe('/#/asks/7/explain');
    expect(await leads('/offers/a%2Fb/explain')).toBe('/#/offers/a%2Fb/explain');
    expect((await get('/offers/7', { Accept: 'application/json' })).status).toBe(404);
  });
});
