import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { exportSPKI, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import type { Doorkeeper } from '../../src/identity/identify.ts';
import { movableClock, openFor, outcome } from './identify.ts';
import { openIssuer, type Issuer } from './issuer.ts';

let issuer: Issuer;
let clock: ReturnType<typeof movableClock>;
let doorkeeper: Doorkeeper;
async function present(token: string) {
  return outcome(doorkeeper, `Bearer ${token}`);
}
function opened(extra: object = {}): Promise<Doorkeeper> {
  return openFor(
    {
      anonymous: true,
      administrators: ['ops'],
      oidc: [{ issuer: issuer.url, audience: 'planner', 'groups-claim': 'groups', ...extra }],
    },
    clock.now,
  );
}
function seconds(from: number): number {
  return Math.floor(Date.now() / 1000) + from;
}

beforeEach(async () => {
  issuer = await openIssuer();
  clock = movableClock();
  doorkeeper = await opened();
});
afterEach(() => issuer.stop());

describe('a token of an issuer', () => {
  test('identifies its user: the verified e-mail is the name, groups are roles, issuer and subject own', async () => {
    const exp = seconds(600);
    const token = await issuer.token({
      email: 'ada@example.org',
      email_verified: true,
      groups: ['survey', 'ops'],
      exp,
    });
    expect(await present(token)).toEqual({
      kind: 'user',
      owner: `oidc:${issuer.url} f3a1`,
      user: 'ada@example.org',
      roles: ['survey', 'ops'],
      administrator: true,
      until: (exp + 30) * 1000,
    });
  });

  test.each([
    [
      'an e-mail that the issuer does not vouch for',
      { email: 'ada@example.org', email_verified: false },
      'f3a1',
    ],
    [
      'an e-mail that it calls unverified in text',
      { email: 'ada@example.org', email_verified: 'false' },
      'f3a1',
    ],
    ['an e-mail of which it says nothing', { email: 'ada@example.org' }, 'ada@example.org'],
    ['no e-mail', {}, 'f3a1'],
    ['an e-mail that is no text', { email: 5 }, 'f3a1'],
    ['an e-mail with a line break', { email: 'ada@example.org\nX-Evil: 1' }, 'f3a1'],
  ])('with %s names the user %j', async (_, claims: object, user) => {
    expect(await present(await issuer.token(claims))).toMatchObject({
      kind: 'user',
      user,
      owner: `oidc:${issuer.url} f3a1`,
    });
  });

  test.each(['RS256', 'ES256', 'EdDSA'] as const)('signed with %s is taken', async (algorithm) => {
    const other = await openIssuer(algorithm);
    const own = await openFor({ oidc: [{ issuer: other.url, audience: 'planner' }] });
    expect(await outcome(own, `Bearer ${await other.token()}`)).toMatchObject({
      kind: 'user',
      user: 'f3a1',
    });
    await other.stop();
  });

  test('may have groups in a claim inside another, under names with dots, or as one text', async () => {
    doorkeeper = await opened({ 'groups-claim': ['realm_access', 'roles'], 'role-prefix': 'ska:' });
    expect(
      await present(await issuer.token({ realm_access: { roles: ['a', 5, 'b'] } })),
    ).toMatchObject({ roles: ['ska:a', 'ska:b'] });
    doorkeeper = await opened({ 'groups-claim': 'wlcg.groups' });
    expect(await present(await issuer.token({ 'wlcg.groups': '/escape' }))).toMatchObject({
      roles: ['/escape'],
    });
    doorkeeper = await opened({ 'groups-claim': ['constructor', 'name'] });
    expect(await present(await issuer.token())).toMatchObject({ roles: [] });
  });

  test('may be for several audiences, if one of them is ours', async () => {
    expect(await present(await issuer.token({ aud: ['other', 'planner'] }))).toMatchObject({
      kind: 'user',
    });
  });

  test('names the user by the claim that the site chose, and nobody without it', async () => {
    doorkeeper = await opened({ 'user-claim': 'preferred_username' });
    expect(
      await present(await issuer.token({ preferred_username: 'ada', email: 'x@y' })),
    ).toMatchObject({ user: 'ada' });
    expect(await present(await issuer.token({ email: 'x@y' }))).toMatchObject({
      status: 401,
      message: expect.stringContaining('claim that names the user'),
    });
  });

  test('of a second issuer has another owner, though subject and e-mail are the same', async () => {
    const second = await openIssuer();
    doorkeeper = await openFor({
      oidc: [issuer, second].map(({ url }) => ({ issuer: url, audience: 'planner' })),
      tokens: [],
    });
    const claims = { sub: 'same', email: 'ada@example.org' };
    const [a, b] = [
      await present(await issuer.token(claims)),
      await present(await second.token(claims)),
    ];
    expect(a).toMatchObject({ user: 'ada@example.org', owner: `oidc:${issuer.url} same` });
    expect(b).toMatchObject({ user: 'ada@example.org', owner: `oidc:${second.url} same` });
    await second.stop();
  });
});

describe('a token is refused with 401, never taken as anonymous, when', () => {
  /** The refusal, and the parts of the token that it repeats. */
  const refusalOf = async (token: string) => {
    const answer = await present(token);
    return {
      answer,
      leaks: token
        .split('.')
        .filter((part) => part.length > 8 && JSON.stringify(answer).includes(part)),
    };
  };
  const refused = (because: string) => ({
    answer: expect.objectContaining({
      status: 401,
      code: 'credential-invalid',
      message: expect.stringContaining(because),
    }),
    leaks: [],
  });
  const unsigned = (claims: JWTPayload = {}): string =>
    new UnsecuredJWT({
      iss: issuer.url,
      aud: 'planner',
      sub: 'f3a1',
      exp: seconds(600),
      ...claims,
    }).encode();

  test.each([
    ['it has expired', () => ({ exp: seconds(-40) }), 'has expired'],
    ['it is not valid yet', () => ({ nbf: seconds(60) }), 'not valid yet (nbf)'],
    ['it was issued in the future', () => ({ iat: seconds(60) }), 'issued in the future (iat)'],
    ['its iat is no number', () => ({ iat: Object('now') }), 'claim of the token'],
    ['it has no end', () => ({ exp: undefined }), 'does not say when it expires'],
    ['it is for another service', () => ({ aud: 'other' }), 'not issued for this service (aud)'],
    ['it is for nobody', () => ({ aud: undefined }), 'not issued for this service (aud)'],
    [
      'its issuer is another',
      () => ({ iss: 'https://evil.example.org' }),
      'this site does not know the issuer',
    ],
    [
      'its issuer has a slash more',
      () => ({ iss: `${issuer.url}/` }),
      'this site does not know the issuer',
    ],
    ['it has no subject', () => ({ sub: undefined }), 'no subject'],
    ['its subject has a control character', () => ({ sub: 'a\u0000b' }), 'no usable subject'],
    [
      'its subject is longer than any column wants',
      () => ({ sub: 'a'.repeat(300) }),
      'no usable subject',
    ],
    ['it is bound to a key', () => ({ cnf: { jkt: 'x' } }), 'bound to a key'],
  ] as const)('%s', async (_, claims: () => object, because) => {
    expect(await refusalOf(await issuer.token(claims()))).toEqual(refused(because));
  });

  test('(but not when it is out of date by less than clocks may differ)', async () => {
    expect(
      await present(await issuer.token({ exp: seconds(-20), nbf: seconds(20), iat: seconds(20) })),
    ).toMatchObject({ kind: 'user' });
  });

  test('nobody signed it (alg none)', async () => {
    expect(await refusalOf(unsigned())).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('it is signed with the public key as a shared secret (HS256)', async () => {
    const [key] = issuer.keys();
    const pem = await exportSPKI(key?.pair.publicKey ?? Object(undefined));
    const encode = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString('base64url');
    const claims = { iss: issuer.url, aud: 'planner', sub: 'f3a1', exp: seconds(600) };
    const body = `${encode({ alg: 'HS256', kid: key?.kid })}.${encode(claims)}`;
    expect(
      await refusalOf(`${body}.${createHmac('sha256', pem).update(body).digest('base64url')}`),
    ).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('an algorithm that the site did not list signed it', async () => {
    doorkeeper = await opened({ algorithms: ['ES256'] });
    expect(await refusalOf(await issuer.token())).toEqual(
      refused('algorithm of the token is not accepted'),
    );
  });

  test('a secret in the key set signed it', async () => {
    const secret = Buffer.alloc(32, 7);
    issuer.publish({
      keys: [
        { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' },
        ...issuer.keys().map(({ jwk }) => jwk),
      ],
    });
    const token = await new SignJWT({
      iss: issuer.url,
      aud: 'planner',
      sub: 'f3a1',
      exp: seconds(600),
    })
      .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
      .sign(secret);
    expect(await refusalOf(token)).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('its key is not among those of the issuer', async () => {
    expect(await refusalOf(await issuer.token({}, { kid: 'nobody' }))).toEqual(
      refused('does not have the key that signed it'),
    );
  });

  test('another key signed it under a known name', async () => {
    const other = await openIssuer();
    expect(
      await refusalOf(await other.token({ iss: issuer.url }, { kid: issuer.keys()[0]?.kid ?? '' })),
    ).toEqual(refused('signature of the token is not valid'));
    await other.stop();
  });

  test('one character of it was changed', async () => {
    const [header = '', payload = '', signature = ''] = (await issuer.token({ sub: 'f3a1' })).split(
      '.',
    );
    const changed = Buffer.from(payload, 'base64url').toString().replace('f3a1', 'root');
    expect(
      await refusalOf([header, Buffer.from(changed).toString('base64url'), signature].join('.')),
    ).toEqual(refused('signature of the token is not valid'));
  });

  test.each(['logout+jwt', 'dpop+jwt', 'application/logout+jwt'])(
    'it is a %s and no access token',
    async (typ) => {
      expect(await refusalOf(await issuer.token({}, { typ }))).toEqual(
        refused('not an access token (typ)'),
      );
    },
  );

  test.each(['x', 'a.b', 'a.b.c', 'a.b.c.d.e', 'eyJhbGciOiJSUzI1NiJ9.e30.'])(
    'it is no token at all: %s',
    async (text) => {
      expect(await present(text)).toMatchObject({ status: 401, code: 'credential-invalid' });
    },
  );

  test('it stands in an Authorization header of another shape', async () => {
    const token = await issuer.token();
    for (const header of [
      token,
      `Token ${token}`,
      `Bearer ${token} x`,
      'Bearer',
      'Bearer é',
      `Basic ${token}`,
      '',
    ]) {
      expect(await outcome(doorkeeper, header)).toMatchObject({ status: 401 });
    }
  });
});

describe('the keys of an issuer', () => {
  const asksForKeys = (): number => issuer.asked.filter((path) => path === '/keys').length;

  test('are fetched once for many tokens, also at the same time', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => issuer.token({ sub: `user-${n}` })),
    );
    const found = await Promise.all(tokens.map(present));
    expect(new Set(found.map((one) => ('owner' in one ? one.owner : one))).size).toBe(20);
    expect(asksForKeys()).toBe(1);
  });

  test('are fetched again for an unknown key, but not for every such token', async () => {
    await present(await issuer.token());
    await issuer.rotate();
    clock.forward(31);
    expect(await present(await issuer.token({ exp: seconds(900) }))).toMatchObject({
      kind: 'user',
    });
    expect(asksForKeys()).toBe(2);
    for (const kid of ['a', 'b', 'c', 'd'])
      expect(await present(await issuer.token({ exp: seconds(900) }, { kid }))).toMatchObject({
        status: 401,
      });
    expect(asksForKeys()).toBe(2);
  });

  test('stay in use while the issuer is away', async () => {
    await present(await issuer.token());
    await issuer.stop();
    clock.forward(3600);
    expect(await present(await issuer.token({ exp: seconds(7200), sub: 'later' }))).toMatchObject({
      kind: 'user',
    });
    expect(
      await present(await issuer.token({ exp: seconds(7200), sub: 'later still' })),
    ).toMatchObject({ kind: 'user' });
    clock.forward(86_400);
    expect(await present(await issuer.token({ exp: seconds(200_000) }))).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
    });
    await issuer.start();
  });

  test('are good for ten minutes at most after they were withdrawn', async () => {
    const token = await issuer.token({ exp: seconds(3600) });
    expect(await present(token)).toMatchObject({ kind: 'user' });
    await issuer.rotate({ forget: true });
    clock.forward(601);
    expect(await present(token)).toMatchObject({ status: 401 });
  });

  test('make a credential 503, not 401, while they cannot be fetched, and are fetched later', async () => {
    await issuer.stop();
    doorkeeper = await opened({ name: 'Example IAM' });
    const token = await issuer.token();
    expect(await present(token)).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
      retryAfter: '10',
    });
    expect(await outcome(doorkeeper, undefined)).toEqual({ kind: 'anonymous' });
    expect(doorkeeper.problems()).toEqual(['Example IAM does not give its keys']);
    await issuer.start();
    clock.forward(6);
    expect(await present(token)).toMatchObject({ kind: 'user' });
    expect(doorkeeper.problems()).toEqual([]);
  });

  test('are not fetched for every client while the issuer is away', async () => {
    issuer.answer('/.well-known/openid-configuration', (_request, response) => {
      response.writeHead(500).end();
    });
    for (const sub of ['a', 'b', 'c', 'd'])
      expect(await present(await issuer.token({ sub }))).toMatchObject({ status: 503 });
    expect(issuer.asked.length).toBe(1);
  });

  const document = '/.well-known/openid-configuration';
  test.each([
    [
      'its discovery document names another issuer',
      () =>
        issuer.answerJson(document, {
          issuer: 'https://evil.example.org',
          jwks_uri: `${issuer.url}/keys`,
        }),
    ],
    [
      'its discovery document has no place of keys',
      () => issuer.answerJson(document, { issuer: issuer.url }),
    ],
    [
      'its keys are over plain HTTP somewhere else',
      () => issuer.answerJson(document, { issuer: issuer.url, jwks_uri: 'http://192.0.2.7/keys' }),
    ],
    [
      'its keys are at a private address of another host',
      () =>
        issuer.answerJson(document, { issuer: issuer.url, jwks_uri: 'https://127.0.0.1:1/keys' }),
    ],
    [
      'its keys are a file',
      () => issuer.answerJson(document, { issuer: issuer.url, jwks_uri: 'file:///etc/passwd' }),
    ],
    [
      'it redirects',
      () =>
        issuer.answer('/keys', (_request, response) => {
          response.writeHead(302, { location: '/elsewhere' }).end();
        }),
    ],
    [
      'its key set is huge',
      () =>
        issuer.answer('/keys', (_request, response) => {
          response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`);
        }),
    ],
    [
      'its key set is not JSON',
      () =>
        issuer.answer('/keys', (_request, response) => {
          response.end('<html>');
        }),
    ],
    ['its key set is a list', () => issuer.answerJson('/keys', [])],
    ['its key set has no key', () => issuer.answerJson('/keys', { keys: [] })],
    [
      'its key set has only secrets',
      () => issuer.answerJson('/keys', { keys: [{ kty: 'oct', k: 'AAAA' }] }),
    ],
    ['its keys are no keys', () => issuer.answerJson('/keys', { keys: [5] })],
  ])('are not there when %s', async (_, spoil) => {
    spoil();
    expect(await present(await issuer.token())).toMatchObject({
      status: 503,
      code: 'credential-unchecked',
    });
    expect(doorkeeper.problems()).toHaveLength(1);
  });

  test('are not waited for longer than five seconds', async () => {
    issuer.answer('/keys', () => undefined);
    // Next to another timer of this process: on a busy machine both are late.
    expect(
      await Promise.race([present(await issuer.token()), delay(8000, 'still waits')]),
    ).toMatchObject({ status: 503 });
  });
});
