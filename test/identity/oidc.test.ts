import { describe, expect, test } from '@jest/globals';
import { openFor, outcome } from './identify.ts';
import { openIssuer } from './issuer.ts';
import { openOidcBench, seconds } from './oidc-bench.ts';

describe('a token of an issuer', () => {
  const bench = openOidcBench();
  const { present } = bench;

  test('identifies its user: the verified e-mail is the name, groups are roles, issuer and subject own', async () => {
    const exp = seconds(600);
    const token = await bench.issuer.token({
      email: 'ada@example.org',
      email_verified: true,
      groups: ['survey', 'ops'],
      exp,
    });
    expect(await present(token)).toEqual({
      kind: 'user',
      owner: `oidc:${bench.issuer.url} f3a1`,
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
    expect(await present(await bench.issuer.token(claims))).toMatchObject({
      kind: 'user',
      user,
      owner: `oidc:${bench.issuer.url} f3a1`,
    });
  });

  test.each([Date.now(), 9e12, 1e300])(
    'may end after every calendar (%d, as in milliseconds): its end can be shown',
    async (exp) => {
      expect(await present(await bench.issuer.token({ exp }))).toMatchObject({
        until: Date.parse('9999-12-31T23:59:59Z'),
      });
    },
  );

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
    await bench.reopen({ 'groups-claim': ['realm_access', 'roles'], 'role-prefix': 'ska:' });
    expect(
      await present(await bench.issuer.token({ realm_access: { roles: ['a', 5, 'b'] } })),
    ).toMatchObject({ roles: ['ska:a', 'ska:b'] });
    await bench.reopen({ 'groups-claim': 'wlcg.groups' });
    expect(await present(await bench.issuer.token({ 'wlcg.groups': '/escape' }))).toMatchObject({
      roles: ['/escape'],
    });
    await bench.reopen({ 'groups-claim': ['constructor', 'name'] });
    expect(await present(await bench.issuer.token())).toMatchObject({ roles: [] });
  });

  test('may be for several audiences, if one of them is ours', async () => {
    expect(await present(await bench.issuer.token({ aud: ['other', 'planner'] }))).toMatchObject({
      kind: 'user',
    });
  });

  test('names the user by the claim that the site chose, and nobody without it', async () => {
    await bench.reopen({ 'user-claim': 'preferred_username' });
    expect(
      await present(await bench.issuer.token({ preferred_username: 'ada', email: 'x@y' })),
    ).toMatchObject({ user: 'ada' });
    expect(await present(await bench.issuer.token({ email: 'x@y' }))).toMatchObject({
      status: 401,
      message: expect.stringContaining('claim that names the user'),
    });
  });

  test('of a second issuer has another owner, though subject and e-mail are the same', async () => {
    const second = await openIssuer();
    const own = await openFor({
      oidc: [bench.issuer, second].map(({ url }) => ({ issuer: url, audience: 'planner' })),
      tokens: [],
    });
    const claims = { sub: 'same', email: 'ada@example.org' };
    const [a, b] = [
      await outcome(own, `Bearer ${await bench.issuer.token(claims)}`),
      await outcome(own, `Bearer ${await second.token(claims)}`),
    ];
    expect(a).toMatchObject({ user: 'ada@example.org', owner: `oidc:${bench.issuer.url} same` });
    expect(b).toMatchObject({ user: 'ada@example.org', owner: `oidc:${second.url} same` });
    await second.stop();
  });
});
