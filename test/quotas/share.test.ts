import { beforeEach, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { until } from '../cli/service-process.ts';
import { offersOf, openClient, reasonsOf, type Reply } from '../harness/client.ts';
import { startTestService } from '../harness/service.ts';
import { serveTests } from '../harness/serve.ts';
import { tokenOf } from '../harness/site.ts';

const destination = {
  runner: 'process',
  'task-types': ['executable'],
  cores: 4,
  memory: '8GiB',
  scratch: '80GiB',
};
function siteWith(more: object): object {
  return {
    rules: ['rules.yml'],
    offers: { 'max-offers': 1, release: 'PT0S', 'start-window': 'PT1S' },
    defaults: { cores: 1, memory: '1GiB', scratch: '1GiB' },
    identity: { tokens: ['ada', 'bob'].map((user) => tokenOf(user, { user })) },
    ...more,
  };
}
function rulesOf(...ids: readonly string[]): object {
  return { destinations: Object.fromEntries(ids.map((id) => [id, { runner: 'process' }])) };
}
function ask(cores: number, duration: string, start = 'P25D'): string {
  return JSON.stringify({
    task: {
      type: 'https://www.purl.org/ivoa-net/task-type/executable',
      spec: { command: ['sort'] },
    },
    resources: { compute: [{ 'min-cores': cores, 'max-cores': cores }] },
    time: [{ start: `${new Date(Date.now()).toISOString()}/${start}`, duration }],
  });
}
function isYes(reply: Reply): boolean {
  return offersOf(reply).length > 0;
}

describe('where the site file does not mention quotas', () => {
  const service = serveTests(
    siteWith({ destinations: { programs: destination } }),
    rulesOf('programs'),
  );
  const { send } = service;

  test('one client never holds all open offers or all accepted work, and others still get theirs', async () => {
    // Clients without a credential may together reserve half of four cores for a day.
    const asAnybody = (cores: number, duration: string) =>
      send('/request', { body: ask(cores, duration) });
    const first = await asAnybody(2, 'P1D');
    expect(isYes(first)).toBe(true);
    // Half a day of half of them is another quarter: open answers and accepted offers both count.
    const second = await asAnybody(2, 'PT12H');
    expect(reasonsOf(second)).toEqual([
      expect.objectContaining({
        code: 'quota-exceeded',
        path: 'identity',
        destination: 'programs',
        asked: 6,
        limit: 12,
        text:
          'programs: The quota would be exceeded. The quota of hours of the whole destination ' +
          'is for all clients without a credential; 12 in use. (asked 6, limit 12)',
      }),
    ]);
    expect(await send(offersOf(first)[0]?.href ?? '', { body: 'status: ACCEPTED' })).toMatchObject({
      status: 200,
    });
    expect(isYes(await asAnybody(1, 'PT1M'))).toBe(false);
    expect(isYes(await send('/request?dry-run=true', { body: ask(1, 'PT1M') }))).toBe(false);
    // Users with a credential have a share each.
    expect(isYes(await send('/request', { token: 'ada', body: ask(2, 'P1D') }))).toBe(true);
    expect(isYes(await send('/request', { token: 'bob', body: ask(2, 'P1D') }))).toBe(true);
    expect(isYes(await send('/request', { token: 'bob', body: ask(2, 'PT1H') }))).toBe(false);
  });

  test('asks at once exceed it no more than asks in turn, and the NO says what would be a YES', async () => {
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    await service.db.database.$executeRaw`SELECT recount_live(array_agg(id)) FROM destination`;
    const again = await startTestService(
      siteWith({
        destinations: {
          programs: { ...destination, cores: 400, memory: '800GiB', scratch: '8000GiB' },
        },
      }),
      rulesOf('programs'),
    );
    try {
      const client = openClient(again.url);
      // 20 cores for a day are a tenth of what all clients without a credential may have.
      const replies = await Promise.all(
        Array.from({ length: 30 }, () => client('/request', { body: ask(20, 'P1D') })),
      );
      expect(replies.filter(isYes)).toHaveLength(10);
      const last = await client('/request', { token: 'ada', body: ask(400, 'P1D') });
      expect(JSON.stringify(last.document)).toContain('"nearest":');
      expect(JSON.stringify(last.document)).toContain(
        '"path":"time[0].duration","from":"P1D","to":"PT12H"',
      );
    } finally {
      await again.close();
    }
  });
});

describe('the share of six destinations', () => {
  const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
  const { send } = serveTests(
    siteWith({ destinations: Object.fromEntries(ids.map((id) => [id, destination])) }),
    rulesOf(...ids),
  );

  test('is offered at each of them, and the NO after that says so of all', async () => {
    const asked = async () => send('/request', { body: ask(2, 'P1D') });
    for (const { length } of ids)
      expect([length, offersOf(await asked())]).toEqual([length, [expect.anything()]]);
    for (const path of ['/request', '/request?dry-run=true'])
      expect(reasonsOf(await send(path, { body: ask(2, 'P1D') }))).toEqual([
        expect.objectContaining({
          code: 'quota-exceeded',
          destinations: expect.arrayContaining(ids),
        }),
      ]);
  });
});

describe('asks at once where the database is slow', () => {
  const service = serveTests(
    siteWith({
      destinations: {
        programs: { ...destination, cores: 400, memory: '800GiB', scratch: '8000GiB' },
      },
    }),
    rulesOf('programs'),
  );

  test('exceed the share no more than asks in turn: answers that are still being written count', async () => {
    const send = openClient(service.url);
    const holder = new Client({ connectionString: service.db.url });
    await holder.connect();
    try {
      const waiting = async (): Promise<number> => {
        const [row] = await service.db.database.$queryRaw<{ n: number }[]>`
          SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
          AND wait_event_type = 'Lock'`;
        return Number(row?.n);
      };
      await holder.query('BEGIN');
      await holder.query('SELECT FROM destination FOR UPDATE');
      const first = send('/request', { body: ask(20, 'P1D') });
      await until('the first is being written', async () => (await waiting()) === 1 || undefined);
      const others = Array.from({ length: 29 }, () => send('/request', { body: ask(20, 'P1D') }));
      await until(
        'others are being written beside it',
        async () => (await waiting()) === 2 || undefined,
      );
      await holder.query('COMMIT');
      expect((await Promise.all([first, ...others])).filter(isYes)).toHaveLength(10);
    } finally {
      await holder.end();
    }
  });
});

describe('quotas of a share and of results', () => {
  const service = serveTests(
    siteWith({
      results: { size: '1GiB', 'per-job': '10MiB' },
      quotas: [
        { for: 'user', name: 'ada', share: '25%' },
        { for: 'user', name: 'bob', results: '35MiB' },
        { for: 'site', share: '75%' },
      ],
      destinations: {
        programs: { ...destination, cores: 40, memory: '800GiB', scratch: '8000GiB' },
        others: { ...destination, cores: 40, memory: '800GiB', scratch: '8000GiB' },
      },
    }),
    rulesOf('programs', 'others'),
  );
  const { send } = service;
  beforeEach(async () => {
    await service.db.database.$executeRaw`TRUNCATE ask, result_use CASCADE`;
    await service.db.database.$executeRaw`SELECT recount_live(array_agg(id)) FROM destination`;
  });

  test('apply at each destination separately', async () => {
    const asked = await Promise.all(
      Array.from({ length: 12 }, () => send('/request', { token: 'ada', body: ask(5, 'P1D') })),
    );
    // Two at each: a quarter of 40 cores for a day.
    expect(asked.filter(isYes)).toHaveLength(4);
    expect(
      new Set(
        asked.flatMap((reply) =>
          [...reply.text.matchAll(/^ *destination: (\w+)/gm)].map(([, id]) => id),
        ),
      ),
    ).toEqual(new Set(['programs', 'others']));
  });

  test('count what is left of a running job, and nothing of one that is over', async () => {
    const first = await send('/request', { token: 'ada', body: ask(10, 'P1D', 'PT1H') });
    const [offer] = offersOf(first);
    await send(offer?.href ?? '', { token: 'ada', body: 'status: ACCEPTED' });
    await service.db.database
      .$executeRaw`UPDATE reservation SET ends_at = clock_timestamp() + interval '12 hours' WHERE state = 'FIRM'`;
    const there = async (duration: string) =>
      isYes(await send('/request?dry-run=true', { token: 'ada', body: ask(10, duration) }));
    const used = async () =>
      (
        await service.db.database.$queryRaw<
          { s: number }[]
        >`SELECT sum(work_used('user:ada', true, id)) AS s FROM destination`
      )[0]?.s ?? 0;
    expect(Math.round((await used()) / 60)).toBe(180);
    expect(await there('PT11H')).toBe(true);
    await service.db.database.$executeRaw`SELECT abort_job(${offer?.ident ?? ''}::uuid, '{}')`;
    expect(await used()).toBe(0);
  });

  test('count results while they are held and until they are removed', async () => {
    const body = ask(1, 'PT1H');
    const answers = [
      await send('/request', { token: 'bob', body }),
      await send('/request', { token: 'bob', body }),
      await send('/request', { token: 'bob', body }),
    ];
    expect(answers.every(isYes)).toBe(true);
    expect(reasonsOf(await send('/request', { token: 'bob', body }))).toEqual([
      expect.objectContaining({
        code: 'quota-exceeded',
        text: expect.stringContaining('The quota of results is for you; 30Mb in use.'),
      }),
    ]);
    const [offer] = offersOf(
      answers[0] ?? answers.at(-1) ?? (await send('/request', { token: 'bob', body })),
    );
    await send(offer?.href ?? '', { token: 'bob', body: 'status: ACCEPTED' });
    await service.db.database
      .$executeRaw`UPDATE offer SET state = 'PREPARING' WHERE id = ${offer?.ident ?? ''}::uuid`;
    await service.db.database
      .$executeRaw`UPDATE job SET attempt = 1, executor = 'e' WHERE id = ${offer?.ident ?? ''}::uuid`;
    await service.db.database
      .$executeRaw`SELECT end_job(${offer?.ident ?? ''}::uuid, 'FAILED', '{"code": "run-lost"}')`;
    expect(isYes(await send('/request', { token: 'bob', body }))).toBe(false);
    await service.db.database.$executeRaw`SELECT forget_job(${offer?.ident ?? ''}::uuid)`;
    expect(isYes(await send('/request', { token: 'bob', body }))).toBe(true);
  });
});
