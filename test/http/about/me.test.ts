import { describe, expect, test } from '@jest/globals';
import { offersOf } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { emptyBookBeforeEach, serveTests, type ServedTests } from '../../harness/serve.ts';
import { gpusOf, processDestination, tokenOf } from '../../harness/site.ts';

const GPU = 'https://example.org/gpu/a';
const RULES = { destinations: { a: { runner: 'process' } } };
const IDENTITY = {
  administrators: ['staff'],
  tokens: [tokenOf('ada-token', { roles: ['survey'] }), tokenOf('eve-token', { roles: ['staff'] })],
};
const SITE = {
  rules: ['rules.yml'],
  identity: IDENTITY,
  offers: { release: 'PT1S', 'start-window': 'PT1S', longest: 'P1D' },
  quotas: [
    { for: 'user', holds: 20, jobs: 50, cores: 64, memory: '256GiB', 'asks-per-minute': 120 },
    { for: 'user', name: 'eve@example.org', holds: 3, share: '50%' },
    { for: 'role', name: 'survey', 'gpu-hours': 50, window: 'P2D', results: '100GiB' },
    { for: 'site', stored: '10GiB' },
  ],
  destinations: { a: processDestination({ cores: 8, memory: '16GiB', ...gpusOf({ [GPU]: 2 }) }) },
};
const UNLIMITED = { ...SITE, quotas: undefined };
const ASK =
  'task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [sort]}}\n';
const LARGE =
  `${ASK}resources: {compute: [{min-cores: 2, max-cores: 2, min-memory: 4Gb, max-memory: 4Gb, ` +
  `gpu: {type: "${GPU}", count: 1}}]}\ntime: {duration: PT2H}`;

type Line = Readonly<Record<string, unknown>>;

function conversation({ send }: ServedTests) {
  const me = async (token?: string) => {
    const reply = await send('/me', { token });
    expect(contractFaults('MeBody', reply.document)).toEqual([]);
    return Object(reply.document['me']);
  };
  const used = async (limit: string, token?: string): Promise<readonly Line[]> =>
    (await me(token)).quotas.filter((line: Line) => line['limit'] === limit);
  const ask = async (body: string, token?: string) =>
    offersOf(await send('/request', { body, token }));
  const accept = async (id: string | undefined, token?: string) =>
    send(`/offers/${id}`, { body: 'status: ACCEPTED', token });
  return { me, used, ask, accept };
}

describe('GET /me', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { me, used, ask, accept } = conversation(service);

  test('tells who the client is, its roles and whether it is an administrator', async () => {
    expect(await me('ada-token')).toMatchObject({
      identity: { type: 'local', user: 'ada@example.org' },
      roles: ['survey'],
      administrator: false,
    });
    expect(await me('eve-token')).toMatchObject({ roles: ['staff'], administrator: true });
    expect(await me()).toEqual({
      identity: { type: 'anonymous' },
      roles: [],
      administrator: false,
      quotas: [{ for: 'site', limit: 'stored', most: 10, used: expect.any(Number) }],
    });
  });

  test('has each limit that holds, and nothing used before the first ask', async () => {
    expect((await me('ada-token')).quotas).toEqual([
      { for: 'user', limit: 'holds', most: 20, used: 0 },
      { for: 'user', limit: 'jobs', most: 50, used: 0 },
      { for: 'user', limit: 'cores', most: 64, used: 0 },
      { for: 'user', limit: 'memory', most: 256, used: 0 },
      { for: 'user', limit: 'asks-per-minute', most: 120, used: expect.any(Number) },
      { for: 'role', name: 'survey', limit: 'gpu-hours', most: 50, used: 0, window: 172_800 },
      { for: 'role', name: 'survey', limit: 'results', most: 100, used: 0 },
      { for: 'site', limit: 'stored', most: 10, used: expect.any(Number) },
    ]);
  });

  test('counts open answers and jobs as the planner does, and each identity alone', async () => {
    const [offer] = await ask(LARGE, 'ada-token');
    expect(await used('holds', 'ada-token')).toMatchObject([{ used: 1 }]);
    expect(await used('jobs', 'ada-token')).toMatchObject([{ used: 1 }]);
    await accept(offer?.ident, 'ada-token');
    expect(await used('holds', 'ada-token')).toMatchObject([{ used: 0 }]);
    expect(await used('jobs', 'ada-token')).toMatchObject([{ used: 1 }]);
    expect(await used('cores', 'ada-token')).toMatchObject([{ used: 2 }]);
    expect(await used('memory', 'ada-token')).toMatchObject([{ used: 4 }]);
    const [gpu] = await used('gpu-hours', 'ada-token');
    expect(gpu?.['used']).toBeCloseTo(2, 1);
    expect(await used('holds', 'eve-token')).toMatchObject([{ name: 'eve@example.org', used: 0 }]);
  });

  test('counts the asks of the minute, and is none itself', async () => {
    const before = Number((await used('asks-per-minute', 'ada-token'))[0]?.['used']);
    // More than flow back while a slow machine answers them.
    await Promise.all(Array.from({ length: 15 }, () => ask(ASK, 'ada-token')));
    for (let times = 0; times < 5; times += 1) await me('ada-token');
    const after = Number((await used('asks-per-minute', 'ada-token'))[0]?.['used']);
    expect(after).toBeGreaterThan(before);
    expect(after).toBeLessThanOrEqual(before + 15);
  });

  test('tells the share of each destination where something is reserved', async () => {
    expect(await used('share', 'eve-token')).toEqual([
      { for: 'user', name: 'eve@example.org', limit: 'share', most: 0.5, used: 0 },
    ]);
    const [offer] = await ask(
      `${ASK}resources: {compute: [{min-cores: 4, max-cores: 4}]}\ntime: {duration: PT12H}`,
      'eve-token',
    );
    await accept(offer?.ident, 'eve-token');
    const [line] = await used('share', 'eve-token');
    expect(line).toMatchObject({ destination: 'a', most: 0.5 });
    expect(line?.['used']).toBeCloseTo(0.25, 2);
  });

  test('comes in JSON and XML, is not kept, and takes no unknown parameter', async () => {
    const json = await service.send('/me', { headers: { Accept: 'application/json' } });
    expect(JSON.parse(json.text)).toMatchObject({ me: { identity: { type: 'anonymous' } } });
    expect(json.headers.get('cache-control')).toBe('no-store');
    const xml = await service.send('/me', { headers: { Accept: 'application/xml' } });
    expect(xml.text).toContain('<administrator>false</administrator>');
    expect((await service.send('/me?who=eve')).status).toBe(400);
    expect((await service.send('/me', { token: 'nobody' })).status).toBe(401);
  });
});

describe('GET /me where the site file has no quotas', () => {
  const service = serveTests(UNLIMITED, RULES);
  emptyBookBeforeEach(service);
  const { me, used, ask } = conversation(service);

  test('has the limits of everybody, and counts the open answers', async () => {
    await ask(ASK, 'ada-token');
    await ask(ASK, 'ada-token');
    await ask(ASK);
    expect(await used('holds', 'ada-token')).toEqual([
      { for: 'user', limit: 'holds', most: 50, used: 2 },
    ]);
    expect(await used('holds')).toEqual([{ for: 'anonymous', limit: 'holds', most: 500, used: 1 }]);
    expect((await me()).quotas.map(({ limit }: Line) => limit)).toEqual([
      'stored',
      'asks-per-minute',
      'holds',
      'share',
    ]);
  });
});
