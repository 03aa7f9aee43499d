import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readContract, serviceRoutes } from '../../src/http/service-routes.ts';
import { hashPassword, printHash } from '../../src/identity/basic/hash.ts';
import type { PassingCode } from '../../src/words/problem.ts';
import { openIssuer, type Issuer } from '../identity/issuer.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE, tokenOf } from '../harness/site.ts';

type Said = { readonly status: number; readonly code: string; readonly retryAfter: string | null };

let issuer: Issuer;
let service: TestService;
let folder: string;

beforeAll(async () => {
  issuer = await openIssuer();
  await issuer.stop();
  folder = await mkdtemp(join(tmpdir(), 'planner-users-'));
  const users = join(folder, 'users');
  await writeFile(users, `eve@example.org:${printHash(await hashPassword('right'))}:\n`);
  service = await startTestService(
    {
      ...SMALL_SITE,
      identity: {
        tokens: [tokenOf('ada'), tokenOf('bob')],
        oidc: [{ issuer: issuer.url, audience: 'planner' }],
        basic: users,
      },
      quotas: [
        { for: 'user', name: 'ada@example.org', 'asks-per-minute': 1 },
        { for: 'user', name: 'bob@example.org', stored: '1MiB' },
      ],
    },
    SMALL_RULES,
  );
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** The first answer that is no success, of at most 60. */
async function firstRefusal(headers: Record<string, string>, body = SMALL_ASK): Promise<Said> {
  for (let n = 0; n < 60; n += 1) {
    const said = await ask(headers, body);
    if (said.status !== 200) return said;
  }
  throw new Error('every ask was answered');
}

async function ask(headers: Record<string, string>, body = SMALL_ASK): Promise<Said> {
  const response = await fetch(`${service.url}/request`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
  });
  const { code = '' } = Object(await response.json());
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
}

/** How a client comes to each problem that passes by itself. */
const WAYS: Readonly<Record<PassingCode, () => Promise<Said>>> = {
  'too-many-asks': () => firstRefusal({ Authorization: 'Bearer ada' }),
  'too-much-stored': () =>
    firstRefusal(
      { Authorization: 'Bearer bob' },
      JSON.stringify({ ...JSON.parse(SMALL_ASK), note: 'x'.repeat(100_000) }),
    ),
  'too-many-failures': async () => {
    const Authorization = `Basic ${Buffer.from('eve@example.org:guess').toString('base64')}`;
    // At the same time, since a busy machine checks one after the other as slowly as they are
    // forgotten.
    const said = await Promise.all(Array.from({ length: 40 }, () => ask({ Authorization })));
    const refused = said.find(({ status }) => status !== 401);
    if (refused !== undefined) return refused;
    throw new Error('forty guesses were checked');
  },
  'credential-unchecked': async () => ask({ Authorization: `Bearer ${await issuer.token()}` }),
  // Last, because nothing works after it.
  'not-ready': async () => {
    const server = new URL(service.db.url);
    const name = server.pathname.slice(1);
    server.pathname = '/postgres';
    const client = new Client({ connectionString: server.href });
    await client.connect();
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.end();
    return ask({});
  },
};

describe('Retry-After', () => {
  test.each(Object.entries(WAYS))('tells when to try again after %s', async (code, way) => {
    const said = await way();
    expect(said).toMatchObject({ code, retryAfter: expect.stringMatching(/^[1-9]\d*$/) });
    expect([429, 503]).toContain(said.status);
  });

  test('is at /readyz while a part does not answer', async () => {
    const app = express().use(
      serviceRoutes({
        metrics: { type: 'text/plain', scrape: () => Promise.resolve('') },
        checks: [{ name: 'database', run: () => Promise.reject(new Error('away')) }],
        contract: await readContract(),
        baseUrl: () => 'http://127.0.0.1',
      }),
    );
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    const response = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    server.close();
  });
});
