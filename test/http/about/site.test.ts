import { describe, expect, test } from '@jest/globals';
import { contractFaults } from '../../harness/contract.ts';
import { serveTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, tokenOf } from '../../harness/site.ts';

const GPU = 'https://example.org/gpu/a';
const SITE = {
  name: 'Observatory',
  message: 'New discs on Monday',
  'time-zone': 'Europe/Berlin',
  rules: ['rules.yml'],
  identity: {
    anonymous: false,
    tokens: [tokenOf('ada-token')],
    oidc: [
      { issuer: 'https://iam.example.org/', audience: 'planner', name: 'Example IAM' },
      {
        issuer: 'https://other.example.org',
        audience: 'https://planner.example.org',
        name: 'Other IAM',
        'device-client-id': 'programs',
      },
    ],
  },
  storage: [
    {
      name: 'archive',
      type: 'directory',
      path: 'kept',
      size: '2TiB',
      'max-lifetime': 'P9D',
      for: ['a'],
    },
    { name: 'rest', type: 'directory', path: 'rest', size: '1GiB' },
  ],
  destinations: {
    a: processDestination({ description: 'Programs', arch: 'arm64', ...gpusOf({ [GPU]: 2 }) }),
    b: processDestination({
      maintenance: [
        {
          start: new Date(Date.now() - 3_600_000).toISOString(),
          duration: 'P1D',
          reason: 'moving',
        },
        { start: '2020-01-01T00:00', duration: 'PT1H', reason: 'long ago' },
      ],
    }),
    c: processDestination({
      runner: 'notebook',
      'task-types': ['python-program', 'jupyter-notebook'],
    }),
  },
};
const RULES = {
  destinations: { a: { runner: 'process' }, b: { runner: 'process' }, c: { runner: 'notebook' } },
};

describe('GET /site', () => {
  const { send } = serveTests(SITE, RULES);
  const site = async () => {
    const reply = await send('/site');
    expect(contractFaults('SiteBody', reply.document)).toEqual([]);
    return Object(reply.document['site']);
  };

  test('tells everybody its name, message, zone and lifetimes, without a credential', async () => {
    expect(await site()).toMatchObject({
      name: 'Observatory',
      message: 'New discs on Monday',
      'time-zone': 'Europe/Berlin',
      anonymous: false,
      offers: { lifetime: 300, most: 4, longest: 86_400, horizon: 30 * 86_400 },
      defaults: { cores: 2, memory: 2, scratch: 20 },
      'gpu-types': [GPU],
      architectures: ['arm64'],
    });
  });

  test('tells the ways to sign in, and no secret', async () => {
    expect((await site())['sign-in']).toEqual([
      expect.objectContaining({
        kind: 'oidc',
        name: 'Example IAM',
        issuer: 'https://iam.example.org/',
      }),
      {
        kind: 'oidc',
        name: 'Other IAM',
        issuer: 'https://other.example.org',
        device: {
          'client-id': 'programs',
          scopes: ['openid', 'profile', 'email'],
          resource: 'https://planner.example.org',
        },
      },
      { kind: 'token' },
    ]);
    expect((await send('/site')).text).not.toMatch(/sha256|audience|[0-9a-f]{64}/);
  });

  test('has the types that its destinations take, whose examples are a YES', async () => {
    const types: readonly { name: string; type: string; example: object }[] = (await site())[
      'task-types'
    ];
    expect(types.map(({ name }) => name)).toEqual([
      'jupyter-notebook',
      'python-program',
      'executable',
    ]);
    for (const { type, example } of types) {
      const body = JSON.stringify({ task: { type, spec: example } });
      const { document } = await send('/request?dry-run=true', { token: 'ada-token', body });
      expect(document).toMatchObject({ response: { result: 'YES' } });
    }
  });

  test('says of a destination what it takes, has, and when it is away', async () => {
    expect((await site()).destinations).toEqual([
      {
        destination: 'a',
        description: 'Programs',
        'task-types': ['https://www.purl.org/ivoa-net/task-type/executable'],
        arch: 'arm64',
        open: true,
        capacity: { cores: 4, memory: 8, scratch: 80, gpus: [{ type: GPU, count: 2 }] },
        maintenance: [],
      },
      expect.objectContaining({
        destination: 'b',
        open: false,
        maintenance: [expect.objectContaining({ reason: 'moving', takes: 'all' })],
      }),
      expect.objectContaining({ destination: 'c', open: true }),
    ]);
  });

  test('tells how much may stay after a run, for how long and from where, but not the path', async () => {
    expect((await site()).storage).toEqual([
      { size: 2048, 'max-lifetime': 9 * 86_400, destinations: ['a'] },
      { size: 1, 'max-lifetime': 30 * 86_400 },
    ]);
  });

  test('comes in JSON and XML, and not again to a client that has it', async () => {
    const json = await send('/site', { headers: { Accept: 'application/json' } });
    expect(JSON.parse(json.text)).toMatchObject({ site: { name: 'Observatory' } });
    const xml = await send('/site', { headers: { Accept: 'application/xml' } });
    expect(xml.text).toContain('<message>New discs on Monday</message>');
    const tag = json.headers.get('etag') ?? '';
    const again = await send('/site', {
      headers: { Accept: 'application/json', 'If-None-Match': tag },
    });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await send('/site', { headers: { Accept: 'image/png' } })).status).toBe(406);
  });
});
