import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import fc from 'fast-check';
import { bodyParser } from '../../../src/http/body/body.ts';
import { openDocuments } from '../../../src/http/body/documents.ts';
import { contractCheck, wholeCheck } from '../../../src/http/body/contract-check.ts';
import { readContract } from '../../../src/http/service-routes.ts';

const odd = fc.oneof(
  fc.string(),
  fc.integer({ min: -1, max: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string(), { maxLength: 2 }),
  fc.constant({}),
);
function either(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd });
}
const compute = fc.record(
  {
    name: either(fc.constant('a')),
    replicas: either(fc.constant(2)),
    'min-cores': either(fc.constant(1)),
    'min-memory': either(fc.constant('1Gb')),
    type: either(fc.constant('x')),
    arch: either(fc.constant('amd64')),
    gpu: either(fc.constant({ type: 'x', count: 1 })),
    volumes: either(fc.constant([{ name: 'a', path: '/a', mode: 'READ' }])),
  },
  { requiredKeys: [] },
);
const storage = fc.record(
  {
    name: either(fc.constant('s')),
    type: either(fc.constant('x')),
    size: either(fc.constant('1Gb')),
    lifetime: either(fc.constant('P1D')),
  },
  { requiredKeys: [] },
);
const ask = fc.record(
  {
    task: either(
      fc.record({ type: either(fc.constant('x')), spec: either(fc.constant({ command: ['a'] })) }),
    ),
    resources: either(
      fc.record(
        {
          compute: either(fc.array(either(compute), { maxLength: 2 })),
          storage: either(fc.array(either(storage), { maxLength: 2 })),
        },
        { requiredKeys: [] },
      ),
    ),
    time: either(
      fc.constantFrom(
        '2026-08-10T10:00Z',
        { start: '2026-08-10T10:00Z', duration: { min: 'PT1H' } },
        [{ start: 3 }],
      ),
    ),
    other: odd,
  },
  { requiredKeys: ['task'] },
);

const update = fc.record(
  {
    status: either(fc.constantFrom('ACCEPTED', 'REJECTED', 'CANCELLED')),
    ident: either(fc.constant('x')),
    why: either(fc.constant('because')),
    start: either(fc.constantFrom('auto', 'client')),
  },
  { requiredKeys: [] },
);
const drain = fc.record({ reason: either(fc.constant('repair')) }, { requiredKeys: [] });
const place = fc.constantFrom(
  '01a1fca5-d69a-71dd-a91d-fba173f12415',
  'x',
  'a%2Fb',
  'x'.repeat(300),
);
const query = fc.constantFrom(
  '',
  '',
  '',
  '?',
  '?dry-run=true',
  '?dry-run=perhaps',
  '?unknown=1',
  '?limit=2',
);
const headers = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'Idempotency-Key': 'k' },
  { 'Idempotency-Key': 'k'.repeat(300) },
  { 'If-None-Match': 'x'.repeat(1001) },
);

/** What the handler of a request sees of its query. */
type Seen = { readonly status: number; readonly query: unknown };

describe('the check against the contract', () => {
  const documents = openDocuments(256);
  const servers: Server[] = [];
  let quick = '';
  let whole = '';

  beforeAll(async () => {
    const contract = await readContract();
    const serve = async (check: RequestHandler): Promise<string> => {
      const app = express();
      const body = bodyParser('request', 256, documents);
      app.post(/./, ...body).put(/./, ...body);
      app.use(check, (request, response) => void response.json({ query: request.query }));
      const refused: ErrorRequestHandler = (error, _request, response, _next) =>
        void response.status(Object(error).status ?? 500).json({ query: null });
      const server = createServer(app.use(refused)).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      return `http://127.0.0.1:${Object(server.address()).port}`;
    };
    quick = await serve(contractCheck(contract, ['/request']));
    whole = await serve(wholeCheck(contract));
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await documents.close();
  });

  const answerOf = async (
    at: string,
    method: string,
    given: Record<string, string>,
    body?: unknown,
  ): Promise<Seen> => {
    const response = await fetch(at, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', ...given },
    });
    const { query: seen } = Object(await response.json());
    return { status: response.status, query: seen };
  };

  test('takes and refuses the same asks as the whole check', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(ask, async (body) => {
        const { status } = await answerOf(`${whole}/request`, 'POST', {}, body);
        seen.add(status);
        expect((await answerOf(`${quick}/request`, 'POST', {}, body)).status).toBe(status);
      }),
      { examples: [[{ task: { type: 'x' } }], [{ task: { type: 5 } }]], numRuns: 300 },
    );
    expect([...seen].toSorted()).toEqual([200, 400]);
  });

  test('reads the parameters of a valid ask', async () => {
    const statusOf = async (more: string, given: Record<string, string> = {}) =>
      (await answerOf(`${quick}/request${more}`, 'POST', given, { task: { type: 'x' } })).status;
    expect(await statusOf('?dry-run=perhaps')).toBe(400);
    expect(await statusOf('?unknown=1')).toBe(400);
    expect(await statusOf('', { 'Idempotency-Key': 'k'.repeat(300) })).toBe(400);
    expect(await statusOf('')).toBe(200);
  });

  test('takes and refuses the same requests with parameters, updates and other paths', async () => {
    const wanted = fc.oneof(
      fc.tuple(
        fc.constant('POST'),
        place.map((id) => `/offers/${id}`),
        update,
      ),
      fc.tuple(
        fc.constant('PUT'),
        place.map((name) => `/destinations/${name}/drain`),
        drain,
      ),
      fc.tuple(
        fc.constantFrom('GET', 'DELETE', 'POST'),
        fc.oneof(
          place.map((id) => `/offers/${id}/explain`),
          place.map((id) => `/offersets/${id}`),
          place.map((id) => `/me/sign-ins/${id}`),
          fc.constantFrom(
            '/asks',
            '/offers',
            '/offers/',
            '/site',
            '/schemas/uws.xsd',
            '/schemas/uws',
            '/calendar',
            '/none',
          ),
        ),
        fc.constant(undefined),
      ),
    );
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(wanted, query, headers, async ([method, path, body], more, given) => {
        const answer = await answerOf(`${whole}${path}${more}`, method, given, body);
        seen.add(answer.status);
        expect(await answerOf(`${quick}${path}${more}`, method, given, body)).toEqual(answer);
      }),
      {
        examples: [
          [['GET', '/asks', undefined], '', {}],
          [['POST', '/offers/x', { status: 'ACCEPTED' }], '', {}],
          [['POST', '/offers/x', { status: 'TAKEN' }], '', {}],
          [['DELETE', '/me/sign-ins/x', undefined], '', {}],
          [['DELETE', '/asks', undefined], '', {}],
        ],
        numRuns: 200,
      },
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 405]));
  });
});
