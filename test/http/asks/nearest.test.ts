import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dump } from 'js-yaml';
import { offersOf, openClient, reasonsOf, type Reply } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { gpusOf } from '../../harness/site.ts';

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
const DAY_MS = 86_400_000;
function iso(at: number): string {
  return new Date(at).toISOString();
}
const NEXT_WEEK = Math.ceil(Date.now() / DAY_MS) * DAY_MS + 3 * DAY_MS;
const AMD = 'urn:example:gpu:amd';
const NVIDIA = 'urn:example:gpu:nvidia';
function destination(more: object = {}): object {
  return {
    runner: 'process',
    'task-types': ['executable'],
    cores: 8,
    memory: '16GiB',
    scratch: '100GiB',
    ...more,
  };
}
const SITE = {
  rules: ['rules.yml'],
  fetch: { 'allow-hosts': ['charts.example.org'] },
  identity: {
    tokens: ['ada', 'bob', 'cyd', 'dan', 'eve'].map((name) => ({
      sha256: sha256(`${name}-token`),
      user: `${name}@example.org`,
    })),
  },
  defaults: { scratch: '1GiB' },
  offers: { release: 'PT1S', 'start-window': 'PT1S', longest: 'P2D' },
  quotas: [
    { for: 'user', name: 'cyd@example.org', cores: 3 },
    { for: 'user', name: 'dan@example.org', 'gpu-hours': 3, window: 'P1D' },
    { for: 'user', name: 'eve@example.org', memory: '4GiB' },
  ],
  destinations: {
    big: destination(gpusOf({ [AMD]: 2 })),
    fixed: destination({
      cores: 4,
      flavours: [
        { name: 's', cores: 2, memory: '4GiB' },
        { name: 'm', cores: 4, memory: '8GiB' },
      ],
    }),
    closing: destination({
      cores: 4,
      maintenance: [{ start: iso(NEXT_WEEK), duration: 'PT6H', reason: 'new discs' }],
    }),
    charts: destination({
      runner: 'kubernetes',
      'task-types': ['helm-chart'],
      kubernetes: {
        kubeconfig: '/nowhere/kubeconfig',
        namespace: 'jobs',
        claim: 'jobs',
        charts: { helm: '/usr/local/bin/helm' },
      },
    }),
  },
};
const RULES = {
  tools: {
    'executable/uniq': { scheduling: { require: ['flavoured'] } },
    'executable/comm': { scheduling: { require: ['closing'] } },
    'executable/tsort': { rules: [{ if: 'entity.mem > 6', fail: 'too much memory for sorting' }] },
    'executable/sort': { scheduling: { require: ['big'] } },
  },
  destinations: {
    big: { runner: 'process', max_accepted_mem: 12, scheduling: { accept: ['big'] } },
    fixed: { runner: 'process', scheduling: { require: ['flavoured'] } },
    closing: { runner: 'process', scheduling: { require: ['closing'] } },
    charts: { runner: 'kubernetes' },
  },
};

type Nearest = {
  readonly destination: string;
  readonly changes: readonly {
    readonly path: string;
    readonly from?: unknown;
    readonly to?: unknown;
    readonly text: string;
  }[];
  readonly ask: object;
};

describe('nearest, the smallest change that turns a NO into YES', () => {
  let service: TestService;
  let send: ReturnType<typeof openClient>;
  beforeAll(async () => {
    service = await startTestService(SITE, RULES);
    send = openClient(service.url);
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
  });

  const ask = (body: string, token = 'ada-token', path = '/request'): Promise<Reply> =>
    send(path, { token, body });
  const command = (name: string): string =>
    `task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: [${name}]}}`;
  const nearestTo = (reply: Reply): Nearest | undefined =>
    Object(reply.document['response']).nearest;
  const counts = async (): Promise<readonly number[]> => [
    await service.db.database.offer.count(),
    await service.db.database.reservation.count(),
  ];

  /** The nearest of a NO, which is then sent as it is and must be a YES. */
  const taken = async (body: string, token = 'ada-token'): Promise<Nearest> => {
    const reply = await ask(body, token);
    expect(contractFaults('AnswerBody', reply.document)).toEqual([]);
    expect(reasonsOf(reply)).not.toEqual([]);
    const before = await counts();
    const nearest = nearestTo(reply);
    if (nearest === undefined) throw new Error(`a NO without nearest: ${reply.text}`);
    const posted = await ask(dump(nearest.ask), token);
    expect({ posted: posted.text, offers: offersOf(posted).length > 0 }).toEqual({
      posted: expect.any(String),
      offers: true,
    });
    expect(before[0]).toBeLessThan((await counts())[0] ?? 0);
    return nearest;
  };

  test('is fewer cores, where the destinations have fewer', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 1Gb}]}`),
    ).toMatchObject({
      destination: 'big',
      changes: [
        {
          path: 'resources.compute[0].min-cores',
          from: 20,
          to: 8,
          text: 'resources.compute[0].min-cores: 8 instead of 20',
        },
      ],
    });
  });

  test('is less memory, where the rules accept no more', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 2, min-memory: 14Gb, name: it}]}`,
      ),
    ).toMatchObject({
      destination: 'big',
      changes: [{ path: 'resources.compute[0].min-memory', from: '14Gb', to: '12Gb' }],
      ask: { resources: { compute: [{ name: 'it', 'min-cores': 2 }] } },
    });
  });

  test('is several changes together, where several things are in the way', async () => {
    const { changes } = await taken(
      `${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 30Gb, gpu: {type: "${AMD}", count: 4}}]}`,
    );
    expect(changes.map(({ path, to }) => [path, to])).toEqual(
      [
        ['resources.compute[0].min-memory', '12Gb'],
        ['resources.compute[0].gpu.count', 2],
        ['resources.compute[0].min-cores', 8],
      ].toSorted(
        (a, b) =>
          changes.findIndex(({ path }) => path === a[0]) -
          changes.findIndex(({ path }) => path === b[0]),
      ),
    );
  });

  test('is another type of GPU, where there is one', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{gpu: {type: "${NVIDIA}"}}]}`),
    ).toMatchObject({
      changes: [{ path: 'resources.compute[0].gpu.type', from: NVIDIA, to: AMD }],
    });
  });

  test('is fewer GPUs of the same type', async () => {
    expect(
      await taken(`${command('sort')}\nresources: {compute: [{gpu: {type: "${AMD}", count: 3}}]}`),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].gpu.count', from: 3, to: 2 }] });
  });

  test('leaves out an item whose type of GPU is nowhere, and the reasons name it', async () => {
    const gpus = (type: string): string =>
      `resources: {compute: [{min-cores: 1}, {min-cores: 1, replicas: 3, gpu: {type: "${type}"}}]}`;
    expect(reasonsOf(await ask(`${command('sort')}\n${gpus(NVIDIA)}`))).toContainEqual(
      expect.objectContaining({ code: 'gpu-type-not-here', path: 'resources.compute[1].gpu.type' }),
    );
    expect(reasonsOf(await ask(`${command('sort')}\n${gpus(AMD)}`))).toContainEqual(
      expect.objectContaining({
        code: 'above-capacity',
        path: 'resources.compute',
        asked: 3,
        limit: 2,
      }),
    );
  });

  test('of machines that find no room together is one of them, without the volumes of the others', async () => {
    const volume = (name: string): string => `volumes: [{name: ${name}, path: scratch, mode: rw}]`;
    const storage = (name: string): string =>
      `{name: ${name}, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 5Gb}`;
    const { changes, ask: next } = await taken(`${command('tsort')}
resources:
  compute:
  - {min-cores: 1, min-memory: 5Gb, ${volume('a')}}
  - {min-cores: 1, min-memory: 4Gb, replicas: 2, ${volume('b')}}
  storage: [${storage('a')}, ${storage('b')}]`);
    expect(changes.map(({ path, to }) => [path, to])).toEqual([
      ['resources.compute[1]', undefined],
      ['resources.storage[1]', undefined],
    ]);
    expect(next).toMatchObject({
      resources: { compute: [{ 'min-memory': '5Gb' }], storage: [{ name: 'a' }] },
    });
  });

  test('is a larger maximum, where the smallest flavour exceeds it', async () => {
    expect(
      await taken(`${command('uniq')}\nresources: {compute: [{max-cores: 1, min-memory: 2Gb}]}`),
    ).toMatchObject({
      destination: 'fixed',
      changes: [{ path: 'resources.compute[0].max-cores', from: 1, to: 2 }],
    });
  });

  test('is a later start of the same length, where everything is taken now', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 8, min-memory: 1Gb}]}\ntime: {duration: PT30M}`;
    const [offer] = offersOf(await ask(body));
    await send(offer?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    const { changes, ask: next } = await taken(body, 'bob-token');
    expect(changes.map(({ path }) => path)).toEqual(['time.start']);
    expect(next).toMatchObject({ time: { duration: 'PT30M' } });
    expect(Date.parse(String(changes[0]?.to).split('/')[0] ?? '')).toBeGreaterThan(
      Date.now() + 25 * 60_000,
    );
  });

  test('is fewer cores, where some are free now and the rest much later', async () => {
    const [offer] = offersOf(
      await ask(
        `${command('sort')}\nresources: {compute: [{min-cores: 2, max-cores: 2, min-memory: ` +
          '1Gb}]}\ntime: {duration: P1D}',
      ),
    );
    await send(offer?.href ?? '', { token: 'ada-token', body: 'status: ACCEPTED' });
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 8, min-memory: 1Gb}]}\ntime: {duration: PT1H}`,
        'bob-token',
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].min-cores', from: 8, to: 6 }] });
  });

  test('is a shorter run before maintenance, or a start after it, whichever is less', async () => {
    const at = (hours: number): string => iso(NEXT_WEEK + hours * 3_600_000);
    const short = await taken(
      `${command('comm')}\nresources: {compute: [{min-cores: 1}]}\ntime: {start: "${at(-2)}", duration: PT3H}`,
    );
    expect(short.changes.map(({ path }) => path)).toEqual(['time.duration']);
    const late = await taken(
      `${command('comm')}\nresources: {compute: [{min-cores: 1}]}\ntime: [{start: "${at(5.5)}", duration: PT6H}]`,
    );
    expect(late.changes).toMatchObject([{ path: 'time[0].start', from: at(5.5) }]);
  });

  test('is another time, for one that is past or beyond the horizon', async () => {
    expect(await taken(`${command('sort')}\ntime: "2020-01-01T00:00Z/PT1H"`)).toMatchObject({
      changes: [{ path: 'time.start' }],
    });
    expect(
      await taken(`${command('sort')}\ntime: {start: "${iso(Date.now() + 300 * DAY_MS)}"}`),
    ).toMatchObject({ changes: [{ path: 'time.start' }] });
  });

  test('is a shorter run, for one that is longer than any offer', async () => {
    expect(await taken(`${command('sort')}\ntime: {min-duration: P9D}`)).toMatchObject({
      changes: [{ path: 'time.duration', from: 'P9D', to: 'P2D' }],
    });
  });

  test('is found by trying, where a rule hides its limit', async () => {
    const { changes } = await taken(
      `${command('tsort')}\nresources: {compute: [{min-cores: 1, min-memory: 10Gb}]}`,
    );
    expect(changes).toMatchObject([{ path: 'resources.compute[0].min-memory', to: '5Gb' }]);
  });

  test('is what a quota leaves', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 4, min-memory: 1Gb}]}`;
    expect(reasonsOf(await ask(body, 'cyd-token'))).toContainEqual(
      expect.objectContaining({ code: 'quota-exceeded', limit: 3 }),
    );
    expect(await taken(body, 'cyd-token')).toMatchObject({
      changes: [{ path: 'resources.compute[0].min-cores', from: 4, to: 3 }],
    });
  });

  test('is less memory, where a quota of memory leaves less', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{min-cores: 1, min-memory: 6Gb}]}`,
        'eve-token',
      ),
    ).toMatchObject({
      changes: [{ path: 'resources.compute[0].min-memory', from: '6Gb', to: '4Gb' }],
    });
  });

  test('is a shorter run, where a quota of GPU hours leaves less', async () => {
    const gpus = `resources: {compute: [{min-cores: 1, gpu: {type: "${AMD}", count: 2}}]}`;
    const shorter = await taken(`${command('sort')}\n${gpus}\ntime: {duration: PT2H}`, 'dan-token');
    expect(shorter.changes.map(({ path }) => path)).toEqual(['time.duration']);
    // As long as the quota leaves: an hour and a half for each of two, but for
    // what is reserved beside the run.
    expect(String(shorter.changes[0]?.to)).toMatch(/^PT1H2\dM/);
  });

  test('is fewer machines above the maximum, or smaller volumes where they exceed the room', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 103, min-cores: 0.05, min-memory: 0.05Gb}]}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].replicas', from: 103, to: 100 }] });
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    const storage =
      'storage: [{name: s, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 30Gb}]';
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 4, min-cores: 1, min-memory: ` +
          `1Gb, volumes: [{name: s, path: s}]}], ${storage}}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.storage[0].size', from: '30Gb', to: '25Gb' }] });
  });

  test('is less for each of several machines, where there is too little for all', async () => {
    expect(
      await taken(
        `${command('sort')}\nresources: {compute: [{replicas: 3, min-cores: 4, min-memory: 1Gb}]}`,
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].min-cores', from: 4, to: 2.666 }] });
  });

  test('is a minimum for machines that name none, and count with two cores each', async () => {
    const { changes } = await taken(
      `${command('sort')}\nresources: {compute: [{name: head}, {name: workers, replicas: 4}]}`,
    );
    expect(changes).toMatchObject([{ path: 'resources.compute[1].min-cores', to: 1.5 }]);
    expect(changes[0]).not.toHaveProperty('from');
  });

  test('is another size for the machines of one item, where no flavour fits it', async () => {
    expect(
      await taken(
        `${command('uniq')}\nresources: {compute: [{name: head, min-cores: 1, min-memory: ` +
          '1Gb}, {name: workers, min-cores: 1, max-cores: 1, min-memory: 1Gb}]}',
      ),
    ).toMatchObject({ changes: [{ path: 'resources.compute[1].max-cores', from: 1, to: 2 }] });
  });

  test('is one machine, where the task runs on one: without replicas, or one of several items', async () => {
    const chart =
      'task: {type: "https://www.purl.org/ivoa-net/task-type/helm-chart", spec: {chart: ' +
      '"https://charts.example.org/sum-1.0.0.tgz"}}';
    expect(
      await taken(`${chart}\nresources: {compute: [{replicas: 3, min-cores: 4, min-memory: 1Gb}]}`),
    ).toMatchObject({ changes: [{ path: 'resources.compute[0].replicas', from: 3, to: 1 }] });
    const { changes, ask: next } = await taken(
      `${chart}\nresources: {compute: [{name: head, min-cores: 1}, {name: workers, replicas: 2, min-cores: 4}]}`,
    );
    expect(changes).toMatchObject([
      { path: 'resources.compute[1]', from: { name: 'workers', replicas: 2 } },
    ]);
    expect(changes[0]).not.toHaveProperty('to');
    expect(next).toMatchObject({ resources: { compute: [{ name: 'head' }] } });
  });

  test('names the items by their places in the ask, also where others are left out', async () => {
    const chart =
      'task: {type: "https://www.purl.org/ivoa-net/task-type/helm-chart", spec: {chart: ' +
      '"https://charts.example.org/sum-1.0.0.tgz"}}';
    const { changes, ask: next } = await taken(
      `${chart}\nresources: {compute: [{name: a, min-cores: 30, min-memory: 1Gb}, {name: b, ` +
        'min-cores: 20, min-memory: 1Gb}]}',
    );
    expect(changes).toMatchObject([
      { path: 'resources.compute[1].min-cores', from: 20, to: 8 },
      { path: 'resources.compute[0]', from: { name: 'a' } },
    ]);
    expect(Object(next).resources.compute).toEqual([
      { name: 'b', 'min-cores': 8, 'min-memory': '1Gb' },
    ]);
  });

  test('is a smaller volume, where the scratch space is too small', async () => {
    const body = `${command('sort')}
resources:
  compute: [{min-cores: 1, volumes: [{name: s, path: scratch}]}]
  storage: [{name: s, type: "https://www.purl.org/ivoa-net/storage-type/ephemeral", size: 500Gb}]`;
    expect(await taken(body)).toMatchObject({
      changes: [{ path: 'resources.storage[0].size', from: '500Gb', to: '100Gb' }],
    });
  });

  test('is left out where no change would help, for malformed asks, and on request', async () => {
    for (const reply of [
      await ask(command('nothing').replace('executable', 'jupyter-notebook')),
      await ask(`${command('sort')}\nresources: {compute: [{min-coars: 1}]}`),
      await ask(
        `${command('sort')}\nresources: {compute: [{min-cores: 20}]}`,
        'ada-token',
        '/request?nearest=false',
      ),
    ]) {
      expect(reasonsOf(reply)).not.toEqual([]);
      expect(nearestTo(reply)).toBeUndefined();
    }
  });

  test('is there for each of a crowd of NOs', async () => {
    const body =
      `${command('sort')}\nresources: {compute: [{min-cores: 20, min-memory: 30Gb, gpu: ` +
      `{type: "${AMD}", count: 4}}]}`;
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => ask(body, 'ada-token', '/request?dry-run=true')),
    );
    expect(
      replies.filter((reply) => nearestTo(reply) === undefined).map(({ text }) => text),
    ).toEqual([]);
  });

  test('holds nothing, and is the same when the request is sent again with its key', async () => {
    const body = `${command('sort')}\nresources: {compute: [{min-cores: 20}]}`;
    const keyed = () =>
      send('/request', { token: 'ada-token', body, headers: { 'Idempotency-Key': 'k' } });
    const first = await keyed();
    expect(await counts()).toEqual([0, 0]);
    expect(nearestTo(first)).toBeDefined();
    expect((await keyed()).document).toEqual(first.document);
  });
});
