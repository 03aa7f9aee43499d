import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

function problemsOf(sections: object): readonly string[] {
  const reading = readSite('/etc/planner/site.yml', site(sections));
  return reading.ok
    ? []
    : reading.problems.map(({ message, hint }) =>
        hint === undefined ? message : `${message} (${hint})`,
      );
}

function site(sections: object): string {
  return JSON.stringify({
    rules: ['r.yml'],
    destinations: {
      here: { runner: 'process', 'task-types': ['executable'], cores: 4, memory: '8GiB' },
    },
    ...sections,
  });
}

const issuer = { issuer: 'https://iam.example.org/', audience: 'planner' };

describe('the section identity', () => {
  test('needs URL and audience of an issuer; the other settings grant nothing by default', () => {
    expect(
      readSite('/etc/planner/site.yml', site({ identity: { basic: 'users', oidc: [issuer] } })),
    ).toMatchObject({
      ok: true,
      site: {
        identity: {
          passwords: '/etc/planner/users',
          administrators: [],
          oidc: [
            {
              ...issuer,
              audience: ['planner'],
              name: issuer.issuer,
              userClaim: undefined,
              groupsClaim: undefined,
              rolePrefix: '',
            },
          ],
        },
      },
    });
  });

  test('makes the service a client of an issuer, whose secret stays in its file', () => {
    const client = { 'client-id': 'planner', 'client-secret': 'secrets/iam' };
    const read = (more: object) => {
      const reading = readSite(
        '/etc/planner/site.yml',
        site({ identity: { oidc: [{ ...issuer, ...client, ...more }] } }),
      );
      return reading.ok ? reading.site.identity.oidc[0]?.client : reading.problems;
    };
    expect(read({})).toEqual({
      id: 'planner',
      secret: '/etc/planner/secrets/iam',
      scopes: ['openid', 'profile', 'email'],
      lifetime: undefined,
    });
    expect(read({ scopes: ['openid', 'groups'], 'sign-in-lifetime': 'PT8H' })).toMatchObject({
      scopes: ['openid', 'groups'],
      lifetime: 8 * 3600,
    });
  });

  test('names a public client for programs, whose tokens are for the first audience that is a URL', () => {
    const read = (more: object) => {
      const reading = readSite(
        '/etc/planner/site.yml',
        site({ identity: { oidc: [{ ...issuer, 'device-client-id': 'planner-cli', ...more }] } }),
      );
      return reading.ok ? reading.site.identity.oidc[0]?.device : reading.problems;
    };
    const scopes = ['openid', 'profile', 'email'];
    expect(read({ audience: 'planner' })).toEqual({
      id: 'planner-cli',
      scopes,
      resource: undefined,
    });
    expect(read({ audience: ['https://planner.example.org', 'planner'] })).toEqual({
      id: 'planner-cli',
      scopes,
      resource: 'https://planner.example.org',
    });
    expect(
      read({ scopes: ['openid', 'offline_access'], 'device-resource': 'urn:example:planner' }),
    ).toEqual({
      id: 'planner-cli',
      scopes: ['openid', 'offline_access'],
      resource: 'urn:example:planner',
    });
  });

  test.each([
    [
      'a resource without a client that sends it',
      { ...issuer, 'device-resource': 'https://planner.example.org' },
      'identity.oidc[0] has device-resource, but no device-client-id',
    ],
    [
      'a resource that is no URI',
      { ...issuer, 'device-client-id': 'p', 'device-resource': 'planner' },
      "identity.oidc[0].device-resource cannot be 'planner'",
    ],
    [
      'a resource with a fragment',
      { ...issuer, 'device-client-id': 'p', 'device-resource': 'https://a.example.org/#b' },
      'identity.oidc[0].device-resource cannot be',
    ],
    [
      'an issuer over plain HTTP',
      { issuer: 'http://iam.example.org' },
      "identity.oidc[0].issuer cannot be 'http://iam.example.org'",
    ],
    [
      'a client without a secret',
      { ...issuer, 'client-id': 'planner' },
      'identity.oidc[0] has client-id, but not both client-id and client-secret',
    ],
    [
      'scopes without a client',
      { ...issuer, scopes: ['openid'] },
      'identity.oidc[0] has scopes, but not both client-id and client-secret',
    ],
    [
      'a client without the scope openid',
      { ...issuer, 'client-id': 'p', 'client-secret': 's', scopes: ['email'] },
      'identity.oidc[0].scopes must have openid, and no blanks',
    ],
    [
      'sign-ins of days',
      { ...issuer, 'client-id': 'p', 'client-secret': 's', 'sign-in-lifetime': 'P2D' },
      'identity.oidc[0].sign-in-lifetime must be at most PT12H',
    ],
    [
      'an issuer with a query',
      { issuer: 'https://iam.example.org/?x=1' },
      'an https URL without query',
    ],
    [
      'an issuer with a password',
      { issuer: 'https://a:b@iam.example.org' },
      'identity.oidc[0].issuer cannot be',
    ],
    ['an issuer that is no URL', { issuer: 'iam' }, "identity.oidc[0].issuer cannot be 'iam'"],
    ['no audience', { audience: [] }, 'identity.oidc[0].audience must not be empty'],
    [
      'an algorithm with a shared secret',
      { algorithms: ['HS256'] },
      'identity.oidc[0].algorithms[0] must be one of RS256',
    ],
    [
      'no algorithm by name',
      { algorithms: ['none'] },
      'identity.oidc[0].algorithms[0] must be one of RS256',
    ],
    ['an empty list of algorithms', { algorithms: [] }, 'must name at least one algorithm'],
    [
      'a claim without a name',
      { 'groups-claim': [''] },
      'identity.oidc[0].groups-claim must name a claim',
    ],
    ['a key that is misspelt', { audiance: 'x' }, "identity.oidc[0] has no key 'audiance'"],
  ])('with %s is refused', (_, change, message) => {
    expect(problemsOf({ identity: { oidc: [{ ...issuer, ...change }] } }).join('\n')).toContain(
      message,
    );
  });

  test('with an issuer twice, or with nothing in it, is refused', () => {
    expect(problemsOf({ identity: { oidc: [issuer, issuer] } })).toEqual([
      expect.stringContaining('identity.oidc[1] has the issuer of identity.oidc[0]'),
    ]);
    expect(problemsOf({ identity: { oidc: [{}] } })).toEqual([
      "identity.oidc[0] needs 'issuer'",
      "identity.oidc[0] needs 'audience'",
    ]);
  });

  test('with a token of two users, which would be the later one, is refused', () => {
    const [sha256, other] = ['a'.repeat(64), 'b'.repeat(64)];
    const tokens = [
      { sha256, user: 'ada' },
      { sha256: other, user: 'ada' },
      { sha256, user: 'eve' },
    ];
    expect(problemsOf({ identity: { tokens } })).toEqual([
      expect.stringContaining('identity.tokens[2] has the token of identity.tokens[0]'),
    ]);
  });

  test('knows a token by its digest in capital letters too', () => {
    const sha256 = `${'0'.repeat(63)}a`;
    const tokens = [
      { sha256: sha256.toUpperCase(), user: 'ada' },
      { sha256, user: 'eve' },
    ];
    expect(problemsOf({ identity: { tokens } })).toEqual([
      expect.stringContaining('identity.tokens[1] has the token of identity.tokens[0]'),
    ]);
  });

  test('takes an issuer of this machine over plain HTTP', () => {
    expect(
      problemsOf({ identity: { oidc: [{ ...issuer, issuer: 'http://127.0.0.1:8081/realms/x' }] } }),
    ).toEqual([]);
  });
});

describe('challenges of the site', () => {
  test.each([
    ['ivoa_x509'],
    [
      'ivoa_bearer standard_id="ivo://ivoa.net/sso#tls-with-password", access_url="https://vo.example.org/login"',
    ],
  ])('%s is taken', (text) => {
    expect(problemsOf({ identity: { challenges: [text] } })).toEqual([]);
  });

  test.each([
    [''],
    ['two schemes'],
    ['Bearer realm="a'],
    ['x y="1"\r\nSet-Cookie: a=b'],
    ['x y="é"'],
  ])('%j is no challenge', (text) => {
    expect(problemsOf({ identity: { challenges: [text] } })).toEqual([
      expect.stringContaining('identity.challenges cannot have'),
    ]);
  });
});

describe('the section quotas', () => {
  test.each([
    ['nobody', [{ holds: 1 }], "quotas[0] needs 'for'"],
    [
      'somebody unknown',
      [{ for: 'group', holds: 1 }],
      'quotas[0].for must be one of user, anonymous, role, site',
    ],
    ['a role without a name', [{ for: 'role', holds: 1 }], "quotas[0] needs 'name'"],
    [
      'a site with a name',
      [{ for: 'site', name: 'x', holds: 1 }],
      'quotas[0].name cannot be used for site',
    ],
    ['nothing', [{ for: 'site' }], 'quotas[0] limits nothing'],
    [
      'a window of nothing',
      [{ for: 'site', holds: 1, window: 'P1D' }],
      'quotas[0].window is only for gpu-hours',
    ],
    [
      'a window longer than the records',
      [{ for: 'site', 'gpu-hours': 1, window: 'P31D' }],
      'quotas[0].window must be at most P30D',
    ],
    ['less than nothing', [{ for: 'user', cores: -1 }], 'quotas[0].cores must be at least 0'],
    [
      'no asks at all',
      [{ for: 'user', 'asks-per-minute': 0 }],
      'quotas[0].asks-per-minute must be at least 1',
    ],
    [
      'a person by an e-mail that others can claim',
      [{ for: 'user', name: 'Ada', identities: ['ada@example.org'], holds: 1 }],
      "quotas[0].identities cannot have 'ada@example.org' (owners: 'user:NAME'",
    ],
    [
      'identities of nobody',
      [{ for: 'user', identities: ['user:ada'], holds: 1 }],
      "quotas[0].identities belong to one user, so it needs 'name'",
    ],
    [
      'identities of a role',
      [{ for: 'role', name: 'survey', identities: ['user:ada'], holds: 1 }],
      'quotas[0].identities belong to one user',
    ],
    [
      'the same twice',
      [
        { for: 'user', holds: 1 },
        { for: 'user', jobs: 1 },
      ],
      'quotas[1] repeats quotas[0]',
    ],
  ])('for %s is refused', (_, quotas, message) => {
    expect(problemsOf({ quotas }).join('\n')).toContain(message);
  });
});
