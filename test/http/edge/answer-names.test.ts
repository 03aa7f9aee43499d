import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const PORTAL = 'https://portal.example.org';

const { info } = Object(
  load(await readFile(new URL('../../../api/openapi.yaml', import.meta.url), 'utf8')),
);

describe('every answer', () => {
  const service = serveTests({ ...SMALL_SITE, http: { 'allow-origins': [PORTAL] } }, SMALL_RULES);
  const get = (path: string, options: RequestInit = {}) =>
    fetch(`${service.url}${path}`, { redirect: 'manual', ...options });

  test.each([
    ['the site', '/site', {}],
    ['health', '/livez', {}],
    ['the job list', '/jobs', {}],
    ['an unknown job', '/jobs/x/phase', {}],
    ['an unknown place', '/nowhere', {}],
    ['another host', '/site', { headers: { Origin: 'https://evil.example.org' } }],
    ['an ask', '/request', { method: 'POST', body: SMALL_ASK }],
    ['the console', '/', { headers: { Accept: 'text/html' } }],
  ])('has the version of the contract and an id of its own: %s', async (_what, path, options) => {
    const [first, second] = [await get(path, options), await get(path, options)];
    expect(first.headers.get('api-version')).toBe(info.version);
    const [one, other] = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(other).not.toBe(one);
  });

  test('of a problem has this id in its document, too', async () => {
    const refused = await get('/offers/x', { headers: { Accept: 'application/json' } });
    expect(await refused.json()).toMatchObject({
      code: 'offer-unknown',
      'request-id': refused.headers.get('x-request-id'),
    });
  });

  test('shows both to scripts of a portal', async () => {
    const { headers } = await get('/site', { headers: { Origin: PORTAL } });
    expect(headers.get('access-control-expose-headers')?.split(',')).toEqual(
      expect.arrayContaining(['API-Version', 'X-Request-Id']),
    );
  });
});
