import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { exportSPKI, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import { outcome } from './identify.ts';
import { openIssuer } from './issuer.ts';
import { openOidcBench, seconds } from './oidc-bench.ts';

describe('a token is refused with 401, never taken as anonymous, when', () => {
  const bench = openOidcBench();
  const { present } = bench;

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
      iss: bench.issuer.url,
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
      () => ({ iss: `${bench.issuer.url}/` }),
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
    expect(await refusalOf(await bench.issuer.token(claims()))).toEqual(refused(because));
  });

  test('(but not when it is out of date by less than clocks may differ)', async () => {
    expect(
      await present(
        await bench.issuer.token({ exp: seconds(-20), nbf: seconds(20), iat: seconds(20) }),
      ),
    ).toMatchObject({ kind: 'user' });
  });

  test('nobody signed it (alg none)', async () => {
    expect(await refusalOf(unsigned())).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('it is signed with the public key as a shared secret (HS256)', async () => {
    const [key] = bench.issuer.keys();
    const pem = await exportSPKI(key?.pair.publicKey ?? Object(undefined));
    const encode = (part: object): string =>
      Buffer.from(JSON.stringify(part)).toString('base64url');
    const claims = { iss: bench.issuer.url, aud: 'planner', sub: 'f3a1', exp: seconds(600) };
    const body = `${encode({ alg: 'HS256', kid: key?.kid })}.${encode(claims)}`;
    expect(
      await refusalOf(`${body}.${createHmac('sha256', pem).update(body).digest('base64url')}`),
    ).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('an algorithm that the site did not list signed it', async () => {
    await bench.reopen({ algorithms: ['ES256'] });
    expect(await refusalOf(await bench.issuer.token())).toEqual(
      refused('algorithm of the token is not accepted'),
    );
  });

  test('a secret in the key set signed it', async () => {
    const secret = Buffer.alloc(32, 7);
    bench.issuer.publish({
      keys: [
        { kty: 'oct', k: secret.toString('base64url'), kid: 'oct' },
        ...bench.issuer.keys().map(({ jwk }) => jwk),
      ],
    });
    const token = await new SignJWT({
      iss: bench.issuer.url,
      aud: 'planner',
      sub: 'f3a1',
      exp: seconds(600),
    })
      .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
      .sign(secret);
    expect(await refusalOf(token)).toEqual(refused('algorithm of the token is not accepted'));
  });

  test('its key is not among those of the issuer', async () => {
    expect(await refusalOf(await bench.issuer.token({}, { kid: 'nobody' }))).toEqual(
      refused('does not have the key that signed it'),
    );
  });

  test('another key signed it under a known name', async () => {
    const other = await openIssuer();
    expect(
      await refusalOf(
        await other.token({ iss: bench.issuer.url }, { kid: bench.issuer.keys()[0]?.kid ?? '' }),
      ),
    ).toEqual(refused('signature of the token is not valid'));
    await other.stop();
  });

  test('one character of it was changed', async () => {
    const [header = '', payload = '', signature = ''] = (
      await bench.issuer.token({ sub: 'f3a1' })
    ).split('.');
    const changed = Buffer.from(payload, 'base64url').toString().replace('f3a1', 'root');
    expect(
      await refusalOf([header, Buffer.from(changed).toString('base64url'), signature].join('.')),
    ).toEqual(refused('signature of the token is not valid'));
  });

  test.each(['logout+jwt', 'dpop+jwt', 'application/logout+jwt'])(
    'it is a %s and no access token',
    async (typ) => {
      expect(await refusalOf(await bench.issuer.token({}, { typ }))).toEqual(
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
    const token = await bench.issuer.token();
    for (const header of [
      token,
      `Token ${token}`,
      `Bearer ${token} x`,
      'Bearer',
      'Bearer é',
      `Basic ${token}`,
      '',
    ]) {
      expect(await outcome(bench.doorkeeper, header)).toMatchObject({ status: 401 });
    }
  });
});
