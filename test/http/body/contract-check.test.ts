import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import fc from 'fast-check';
import { bodyParser } from '../../../src/http/body/body.ts';
import { openDocuments } from '../../../src/http/body/documents.ts';
import { contractCheck } from '../../../src/http/body/contract-check.ts';
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

describe('the check against the contract', () => {
  const documents = openDocuments(256);
  let server: Server;
  let url = '';

  beforeAll(async () => {
    const app = express()
      .use(bodyParser('request', 256, documents))
      .use(contractCheck(await readContract(), ['/request']));
    const refused: ErrorRequestHandler = (error, _request, response, _next) =>
      void response.status(Object(error).status ?? 500).end();
    app.post('/request', (_request, response) => void response.status(204).end()).use(refused);
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${Object(server.address()).port}/request`;
  });
  afterAll(async () => {
    server.close();
    await documents.close();
  });

  const statusOf = async (
    body: unknown,
    headers: Record<string, string>,
    query = '',
  ): Promise<number> => {
    const response = await fetch(`${url}${query}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
    return response.status;
  };

  // A request with a key goes to the whole checker.
  test('takes and refuses the same asks with an Idempotency-Key and without', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(ask, async (body) => {
        const status = await statusOf(body, { 'Idempotency-Key': 'k' });
        seen.add(status);
        expect(await statusOf(body, {})).toBe(status);
      }),
      { examples: [[{ task: { type: 'x' } }], [{ task: { type: 5 } }]], numRuns: 300 },
    );
    expect([...seen].toSorted()).toEqual([204, 400]);
  });

  test('reads the parameters of a valid ask', async () => {
    const body = { task: { type: 'x' } };
    expect(await statusOf(body, {}, '?dry-run=perhaps')).toBe(400);
    expect(await statusOf(body, {}, '?unknown=1')).toBe(400);
    expect(await statusOf(body, { 'Idempotency-Key': 'k'.repeat(300) })).toBe(400);
    expect(await statusOf(body, {})).toBe(204);
  });
});
