import { describe, expect, test } from '@jest/globals';
import { contract } from '../../harness/contract.ts';
import { serveTests } from '../../harness/serve.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';

const ACCEPTS = ['*/*', 'application/json', 'text/html,application/xhtml+xml'];
/** Places that refuse a query that the contract does not have. */
const STRICT = [
  '/offers/{ident}',
  '/asks/{ident}',
  '/asks/{ident}/explain',
  '/offers/{ident}/explain',
  '/offersets/{ident}',
  '/me',
  '/overview',
  '/me/sign-ins',
];

/** The answers of a GET in the contract. */
function answersOf(path: string): Readonly<Record<string, object>> {
  return Object(contract).paths[path].get.responses;
}

describe('the contract has', () => {
  const service = serveTests(SMALL_SITE, SMALL_RULES);

  test('every type in which parts of a job are shown', async () => {
    const made = await fetch(`${service.url}/jobs`, {
      method: 'POST',
      body: SMALL_ASK,
      headers: { 'Content-Type': 'application/json' },
      redirect: 'manual',
    });
    const job = made.headers.get('location') ?? '';
    await fetch(`${job}/parameters/table`, {
      method: 'PUT',
      body: '1,2',
      headers: { 'Content-Type': 'text/csv' },
      redirect: 'manual',
    });
    const at: readonly (readonly [path: string, url: string])[] = [
      ['/jobs/{job}', job],
      ['/jobs/{job}/parameters', `${job}/parameters`],
      ['/jobs/{job}/parameters/{name}', `${job}/parameters/table`],
      ['/jobs/{job}/results', `${job}/results`],
    ];
    for (const [path, url] of at) {
      const { content } = Object(answersOf(path)['200']);
      for (const Accept of ACCEPTS) {
        const { headers } = await fetch(url, { headers: { Accept } });
        const type = headers.get('content-type')?.split(';')[0] ?? '';
        expect([path, type, type in content || '*/*' in content]).toEqual([path, type, true]);
      }
    }
  });

  test.each(STRICT)('the refusal of an unknown query at %s', async (path) => {
    const { status } = await fetch(`${service.url}${path.replace('{ident}', 'x')}?unknown=1`);
    expect(status).toBe(400);
    expect(Object.keys(answersOf(path))).toContain('400');
  });

  test('the entity tag of the calendar', async () => {
    const { headers } = await fetch(`${service.url}/calendar`);
    expect(headers.get('etag')).not.toBeNull();
    expect(Object.keys(Object(answersOf('/calendar')['200']).headers)).toContain('ETag');
  });
});
