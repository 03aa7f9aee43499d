import { describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { outcome } from './identify.ts';
import { openOidcBench, seconds } from './oidc-bench.ts';

describe('the keys of an issuer', () => {
  const bench = openOidcBench();
  const { present } = bench;

  const asksForKeys = (): number => bench.issuer.asked.filter((path) => path === '/keys').length;

  test('are fetched once for many tokens, also at the same time', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => bench.issuer.token({ sub: `user-${n}` })),
    );
    const found = await Promise.all(tokens.map(present));
    expect(new Set(found.map((one) => ('owner' in one ? one.owner : one))).size).toBe(20);
    expect(asksForKeys()).toBe(1);
  });

  test('are fetched again for an unknown key, but not for every such token', async () => {
    await present(await bench.issuer.token());
    await bench.issuer.rotate();
    bench.clock.forward(31);
    expect(await present(await bench.issuer.token({ exp: seconds(900) }))).toMatchObject({
      kind: 'user',
    });
    expect(asksForKeys()).toBe(2);
    for (const kid of ['a', 'b', 'c', 'd'])
      expect(await present(await bench.issuer.token({ exp: seconds(900) }, { kid }))).toMatchObject(
        { status: 401 },
      );
    expect(asksForKeys()).toBe(2);
  });

  test('stay in use while the issuer is away', async () => {
    await present(await bench.issuer.token());
    await bench.issuer.stop();
    bench.clock.forward(3600);
    expect(
      await present(await bench.issuer.token({ exp: seconds(7200), sub: 'later' })),
    ).toMatchObject({ kind: 'user' });
    expect(
      await present(await bench.issuer.token({ exp: seconds(7200), sub: 'later still' })),
    ).toMatchObject({ kind: 'user' });
    bench.clock.forward(86_400);
    expect(await present(await bench.issuer.token({ exp: seconds(200_000) }))).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
    });
    await bench.issuer.start();
  });

  test('are good for ten minutes at most after they were withdrawn', async () => {
    const token = await bench.issuer.token({ exp: seconds(3600) });
    expect(await present(token)).toMatchObject({ kind: 'user' });
    await bench.issuer.rotate({ forget: true });
    bench.clock.forward(601);
    expect(await present(token)).toMatchObject({ status: 401 });
  });

  test('are fetched again in time when the clock of the machine was put back', async () => {
    const token = await bench.issuer.token({ exp: seconds(3600) });
    expect(await present(token)).toMatchObject({ kind: 'user' });
    bench.clock.forward(-3600);
    expect(await present(token)).toMatchObject({ kind: 'user' });
    await bench.issuer.rotate({ forget: true });
    bench.clock.forward(601);
    const now = { iat: seconds(-3600), exp: seconds(0) };
    expect(await present(await bench.issuer.token(now))).toMatchObject({ kind: 'user' });
    expect(await present(token)).toMatchObject({ status: 401 });
  });

  test.each([
    ['ES256', 'is no point of its curve', { x: 'AAAA', y: 'AAAA' }],
    ['EdDSA', 'is too short', { x: 'AAAA' }],
    ['RS256', 'is too weak', { n: 'AQAB'.repeat(16) }],
  ] as const)('of %s: a token of one that %s is 401', async (algorithm, _, part) => {
    await bench.issuer.rotate({ use: algorithm, forget: true });
    bench.issuer.publish({ keys: bench.issuer.keys().map(({ jwk }) => ({ ...jwk, ...part })) });
    expect(await present(await bench.issuer.token())).toMatchObject({
      status: 401,
      message: expect.stringContaining(
        'the key of the issuer that signed the token cannot be used',
      ),
    });
  });

  test('make a credential 503, not 401, while they cannot be fetched, and are fetched later', async () => {
    await bench.issuer.stop();
    await bench.reopen({ name: 'Example IAM' });
    const token = await bench.issuer.token();
    expect(await present(token)).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
      retryAfter: '10',
    });
    expect(await outcome(bench.doorkeeper, undefined)).toEqual({ kind: 'anonymous' });
    expect(bench.doorkeeper.problems()).toEqual(['Example IAM does not give its keys']);
    await bench.issuer.start();
    bench.clock.forward(6);
    expect(await present(token)).toMatchObject({ kind: 'user' });
    expect(bench.doorkeeper.problems()).toEqual([]);
  });

  test('are not fetched for every client while the issuer is away', async () => {
    bench.issuer.answer('/.well-known/openid-configuration', (_request, response) => {
      response.writeHead(500).end();
    });
    for (const sub of ['a', 'b', 'c', 'd'])
      expect(await present(await bench.issuer.token({ sub }))).toMatchObject({ status: 503 });
    expect(bench.issuer.asked.length).toBe(1);
  });

  const document = '/.well-known/openid-configuration';
  test.each([
    [
      'its discovery document names another issuer',
      () =>
        bench.issuer.answerJson(document, {
          issuer: 'https://evil.example.org',
          jwks_uri: `${bench.issuer.url}/keys`,
        }),
    ],
    [
      'its discovery document has no place of keys',
      () => bench.issuer.answerJson(document, { issuer: bench.issuer.url }),
    ],
    [
      'its keys are over plain HTTP somewhere else',
      () =>
        bench.issuer.answerJson(document, {
          issuer: bench.issuer.url,
          jwks_uri: 'http://192.0.2.7/keys',
        }),
    ],
    [
      'its keys are at a private address of another host',
      () =>
        bench.issuer.answerJson(document, {
          issuer: bench.issuer.url,
          jwks_uri: 'https://127.0.0.1:1/keys',
        }),
    ],
    [
      'its keys are a file',
      () =>
        bench.issuer.answerJson(document, {
          issuer: bench.issuer.url,
          jwks_uri: 'file:///etc/passwd',
        }),
    ],
    [
      'it redirects',
      () =>
        bench.issuer.answer('/keys', (_request, response) => {
          response.writeHead(302, { location: '/elsewhere' }).end();
        }),
    ],
    [
      'its key set is huge',
      () =>
        bench.issuer.answer('/keys', (_request, response) => {
          response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`);
        }),
    ],
    [
      'its key set is not JSON',
      () =>
        bench.issuer.answer('/keys', (_request, response) => {
          response.end('<html>');
        }),
    ],
    ['its key set is a list', () => bench.issuer.answerJson('/keys', [])],
    ['its key set has no key', () => bench.issuer.answerJson('/keys', { keys: [] })],
    [
      'its key set has only secrets',
      () => bench.issuer.answerJson('/keys', { keys: [{ kty: 'oct', k: 'AAAA' }] }),
    ],
    ['its keys are no keys', () => bench.issuer.answerJson('/keys', { keys: [5] })],
  ])('are not there when %s', async (_, spoil) => {
    spoil();
    expect(await present(await bench.issuer.token())).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
    });
    expect(bench.doorkeeper.problems()).toHaveLength(1);
  });

  test('are not waited for longer than five seconds', async () => {
    bench.issuer.answer('/keys', () => undefined);
    // Next to another timer of this process: on a busy machine both are late.
    expect(
      await Promise.race([present(await bench.issuer.token()), delay(8000, 'still waits')]),
    ).toMatchObject({ status: 503 });
  });
});
