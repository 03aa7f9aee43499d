import { describe, expect, test } from '@jest/globals';
import { sweep } from '../../src/sweeper/sweep.ts';
import { offersOf, reasonsOf, type Reply } from '../harness/client.ts';
import { contractFaults } from '../harness/contract.ts';
import { emptyBookBeforeEach, serveTests } from '../harness/serve.ts';
import { gpusOf, tokenOf } from '../harness/site.ts';
const GPU = 'urn:gpu:a100';

const SITE = {
  rules: ['rules.yml'],
  offers: { lifetime: 'PT10M', duration: 'PT1H', 'start-window': 'PT10M', release: 'PT30S' },
  identity: {
    tokens: [
      tokenOf('holder'),
      tokenOf('worker'),
      tokenOf('cores'),
      tokenOf('gpu'),
      tokenOf('named'),
      tokenOf('student1', { roles: ['students'] }),
      tokenOf('student2', { roles: ['students'] }),
      tokenOf('fast'),
      tokenOf('free'),
    ],
  },
  quotas: [
    { for: 'user', name: 'holder@example.org', holds: 4 },
    { for: 'user', name: 'worker@example.org', jobs: 3 },
    { for: 'user', name: 'cores@example.org', cores: 8, memory: '16GiB' },
    { for: 'user', name: 'gpu@example.org', 'gpu-hours': 3, window: 'P1D' },
    { for: 'user', name: 'fast@example.org', 'asks-per-minute': 3 },
    { for: 'user', name: 'free@example.org', holds: 1000 },
    { for: 'user', holds: 2 },
    { for: 'anonymous', holds: 1 },
    { for: 'role', name: 'students', cores: 4 },
  ],
  destinations: Object.fromEntries(
    ['a', 'b'].map((id) => [
      id,
      {
        runner: 'process',
        'task-types': ['executable'],
        cores: 200,
        memory: '400GiB',
        scratch: '8000GiB',
        ...gpusOf({ [GPU]: 8 }),
      },
    ]),
  ),
};
const destination = {
  runner: 'process',
  max_accepted_cores: 200,
  max_accepted_mem: 400,
  max_accepted_gpus: 8,
};
const RULES = { destinations: { a: destination, b: destination } };

function ask(compute = '{}'): string {
  return (
    '{task: {type: "https://www.purl.org/ivoa-net/task-type/executable", spec: {command: ' +
    `[sort]}}, resources: {compute: [${compute}]}}`
  );
}

describe('a quota', () => {
  const service = serveTests(SITE, RULES);
  emptyBookBeforeEach(service);
  const { send } = service;
  const asks = (who: string | undefined, compute?: string): Promise<Reply> =>
    send('/request', { token: who, body: ask(compute) });
  const update = (who: string, href: string | undefined, status: string): Promise<Reply> =>
    send(href ?? '', { token: who, body: `status: ${status}` });
  const isYes = (reply: Reply): boolean => offersOf(reply).length > 0;

  test('of holds is a NO with the number, until an offer is rejected, accepted or expired', async () => {
    const answers = [
      await asks('holder'),
      await asks('holder'),
      await asks('holder'),
      await asks('holder'),
    ];
    expect(answers.every(isYes)).toBe(true);
    const refused = await asks('holder');
    expect(contractFaults('AnswerBody', refused.document)).toEqual([]);
    expect(reasonsOf(refused)).toEqual([
      {
        code: 'quota-exceeded',
        path: 'identity',
        asked: 1,
        limit: 4,
        text:
          'The quota would be exceeded. The quota of answers with open offers is for you; 4 ' +
          'in use. (asked 1, limit 4)',
      },
    ]);
    const [first, second, third] = answers.map(offersOf);
    for (const { href } of first ?? []) await update('holder', href, 'REJECTED');
    expect(isYes(await asks('holder'))).toBe(true);
    expect(isYes(await asks('holder'))).toBe(false);
    await update('holder', second?.[0]?.href, 'ACCEPTED');
    expect(isYes(await asks('holder'))).toBe(true);
    await service.db.database.$executeRaw`
        UPDATE offer SET expires_at = clock_timestamp()
        WHERE id = ANY (${third?.map(({ ident }) => ident)}::uuid[])`;
    expect(isYes(await asks('holder'))).toBe(true);
    expect(isYes(await asks('holder'))).toBe(false);
  });

  test('is not exceeded by 32 asks at once', async () => {
    const answers = await Promise.all(Array.from({ length: 32 }, () => asks('holder')));
    expect(answers.filter(isYes)).toHaveLength(4);
    expect(
      answers.filter((answer) => reasonsOf(answer)[0]?.['code'] === 'quota-exceeded'),
    ).toHaveLength(28);
  });

  test('of holds shortens the lifetime of offers in proportion to the rest of the budget', async () => {
    const lifetimes = [];
    for (let n = 0; n < 4; n += 1) {
      const [offer] = offersOf(await asks('holder'));
      const shown = Object((await send(offer?.href ?? '', { token: 'holder' })).document['offer']);
      expect(shown.expires).toBe(offer?.expires);
      lifetimes.push(Math.ceil(shown['expires-in'] / 10) * 10);
    }
    expect(lifetimes).toEqual([600, 450, 300, 150]);
  });

  test('of jobs counts open answers too, so that no accept is refused; a finished job makes room', async () => {
    const offers = [];
    for (let n = 0; n < 3; n += 1) offers.push(offersOf(await asks('worker'))[0]);
    expect(reasonsOf(await asks('worker'))).toMatchObject([
      {
        code: 'quota-exceeded',
        asked: 1,
        limit: 3,
        text: expect.stringContaining('jobs and open answers'),
      },
    ]);
    for (const offer of offers)
      expect((await update('worker', offer?.href, 'ACCEPTED')).status).toBe(200);
    expect(isYes(await asks('worker'))).toBe(false);
    await update('worker', offers[0]?.href, 'CANCELLED');
    expect(isYes(await asks('worker'))).toBe(true);
  });

  test('of cores and memory leaves the offers that fit, and a NO says what the smallest would add', async () => {
    const roomy = await asks(
      'cores',
      '{min-cores: 4, max-cores: 200, min-memory: 2GiB, max-memory: 2GiB}',
    );
    const most = offersOf(roomy).map(({ request }) =>
      Number(request.resources.compute[0]?.['max-cores']),
    );
    expect(Math.max(...most)).toBeLessThanOrEqual(8);
    expect(most.length).toBeGreaterThan(0);
    await service.db.database.$executeRaw`TRUNCATE ask CASCADE`;
    const [held] = offersOf(
      await asks('cores', '{min-cores: 6, max-cores: 6, min-memory: 2GiB, max-memory: 2GiB}'),
    );
    expect(
      reasonsOf(
        await asks('cores', '{min-cores: 3, max-cores: 3, min-memory: 2GiB, max-memory: 2GiB}'),
      ),
    ).toEqual([
      expect.objectContaining({
        code: 'quota-exceeded',
        asked: 3,
        limit: 8,
        text: expect.stringContaining('6 in use'),
      }),
    ]);
    expect(
      isYes(
        await asks('cores', '{min-cores: 2, max-cores: 2, min-memory: 2GiB, max-memory: 2GiB}'),
      ),
    ).toBe(true);
    await update('cores', held?.href, 'ACCEPTED');
    expect(
      reasonsOf(
        await asks('cores', '{min-cores: 1, max-cores: 1, min-memory: 20GiB, max-memory: 20GiB}'),
      ),
    ).toEqual([
      expect.objectContaining({ asked: 1, limit: 8 }),
      expect.objectContaining({
        asked: '20Gb',
        limit: '16Gb',
        text: expect.stringContaining('4Gb in use'),
      }),
    ]);
  });

  test('of GPU hours counts reservations, and real use once a run is over, within the window', async () => {
    const gpu = `{min-cores: 1, max-cores: 1, gpu: {type: "${GPU}", count: 2}}`;
    // Two GPUs for an hour, the start window and the release: 2.34 hours.
    const [offer] = offersOf(await asks('gpu', gpu));
    expect(reasonsOf(await asks('gpu', gpu))).toEqual([
      expect.objectContaining({
        code: 'quota-exceeded',
        asked: 2.35,
        limit: 3,
        text: expect.stringContaining('2.35 in use'),
      }),
    ]);
    await update('gpu', offer?.href, 'ACCEPTED');
    expect(isYes(await asks('gpu', gpu))).toBe(false);
    await update('gpu', offer?.href, 'CANCELLED');
    expect(isYes(await asks('gpu', gpu))).toBe(true);
    await service.db.database
      .$executeRaw`UPDATE offer SET expires_at = clock_timestamp() WHERE state = 'OFFERED'`;
    // First as if the job had run for an hour until now, then as if a day ago.
    await service.db.database
      .$executeRaw`UPDATE reservation SET starts_at = ends_at - interval '1 hour' WHERE offer_id IS NOT NULL`;
    expect(isYes(await asks('gpu', gpu))).toBe(false);
    await service.db.database.$executeRaw`
        UPDATE reservation SET starts_at = starts_at - interval '1 day',
          ends_at = ends_at - interval '1 day' WHERE offer_id IS NOT NULL`;
    expect(isYes(await asks('gpu', gpu))).toBe(true);
  });

  test('of a role is shared by all users who have it', async () => {
    expect(isYes(await asks('student1', '{min-cores: 3, max-cores: 3}'))).toBe(true);
    expect(reasonsOf(await asks('student2', '{min-cores: 2, max-cores: 2}'))).toEqual([
      expect.objectContaining({
        limit: 4,
        text: expect.stringContaining('all users with the role students; 3 in use'),
      }),
    ]);
    expect(isYes(await asks('student2', '{min-cores: 1, max-cores: 1}'))).toBe(true);
  });

  test('of each user is one for everybody, but for those with one by name', async () => {
    expect([
      isYes(await asks('named')),
      isYes(await asks('named')),
      isYes(await asks('named')),
    ]).toEqual([true, true, false]);
    const free = await Promise.all(Array.from({ length: 10 }, () => asks('free')));
    expect(free.every(isYes)).toBe(true);
  });

  test('of anonymous clients is one for all of them', async () => {
    expect([isYes(await asks(undefined)), isYes(await asks(undefined))]).toEqual([true, false]);
  });

  test('of asks a minute is 429 with Retry-After, and costs nothing', async () => {
    const replies = [];
    for (let n = 0; n < 5; n += 1)
      replies.push(await asks('fast', n === 0 ? '{min-coars: 1}' : '{min-cores: 500}'));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
    expect(replies[3]).toMatchObject({ document: { code: 'too-many-asks' } });
    expect(Number(replies[3]?.headers.get('retry-after'))).toBeGreaterThan(10);
    expect(await service.db.database.ask.count()).toBe(3);
    expect(isYes(await asks('free'))).toBe(true);
  });

  test('does not apply to a repetition under the key of an earlier answer', async () => {
    const keyed = (): Promise<Reply> =>
      send('/request', { token: 'named', body: ask(), headers: { 'Idempotency-Key': 'k' } });
    const answers = await Promise.all(Array.from({ length: 8 }, keyed));
    expect(new Set(answers.map((answer) => offersOf(answer)[0]?.ident)).size).toBe(1);
    expect(
      await service.db.database.$queryRaw`SELECT count(*)::int AS uses FROM quota_use`,
    ).toEqual([{ uses: 1 }]);
  });

  test('forgets what counts no longer, once nobody can accept it', async () => {
    for (let n = 0; n < 2; n += 1) await asks('named');
    await service.db.database.$executeRaw`UPDATE offer SET expires_at = clock_timestamp()`;
    await service.db.database.$executeRaw`UPDATE reservation SET expires_at = clock_timestamp()`;
    await sweep(service.db.database);
    await asks('named');
    expect(
      await service.db.database.$queryRaw`SELECT count(*)::int AS uses FROM quota_use`,
    ).toEqual([{ uses: 1 }]);
  });
});
