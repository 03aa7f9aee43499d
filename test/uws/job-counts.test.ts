import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { countRecent } from '../../src/uws/store/job-counts.ts';
import type { JobId } from '../../src/words/ids.ts';
import { contractFaults } from '../harness/contract.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

const DAY = '2026-08-10T00:00:00Z';

/** The counts of a list, by phase. */
async function countsOf(query: string, as: string) {
  const { counts } = await list(query, as);
  const { phases, complete } = Object(counts);
  const lines: readonly { phase: string; jobs: number }[] = phases;
  return { ...Object.fromEntries(lines.map(({ phase, jobs }) => [phase, jobs])), complete };
}

async function idsOf(query: string, as: string): Promise<readonly string[]> {
  const { jobs } = await list(query, as);
  const all: readonly { id: string }[] = Object(jobs);
  return all.map(({ id }) => id);
}

async function list(query: string, as: string): Promise<Record<string, unknown>> {
  const answer = await worker.ask(query, { as, headers: { accept: 'application/json' } });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const document: unknown = JSON.parse(answer.text);
  expect(contractFaults('UwsJobList', document)).toEqual([]);
  return Object(document);
}

async function ended(as: string, at: string, state = 'COMPLETED', name = ''): Promise<JobId> {
  const id = await worker.start(await worker.job('AUTO', `user:${as}`));
  await worker.executor.advance(id, 'RELEASING');
  await worker.executor.finish(id, state);
  await worker.database.$executeRaw`UPDATE job SET ended_at = ${at}::timestamptz,
    run_id = ${name} WHERE id = ${id}::uuid`;
  return id;
}

describe('the counts of a list', () => {
  test('are jobs that have not ended and those that ended after a time, by phase', async () => {
    await worker.job('AUTO', 'user:ann');
    await worker.start(await worker.job('AUTO', 'user:ann'));
    await ended('ann', '2026-08-10T09:00:00Z');
    await ended('ann', '2026-08-10T10:00:00Z');
    await ended('ann', '2026-08-10T11:00:00Z', 'FAILED');
    await ended('ann', '2026-08-09T23:59:59Z', 'FAILED');
    const gone = await ended('ann', '2026-08-10T12:00:00Z', 'FAILED');
    await worker.ask(`/${gone}`, { as: 'ann', method: 'DELETE' });
    const archived = await ended('ann', '2026-08-10T12:00:00Z');
    await worker.database
      .$executeRaw`UPDATE job SET archived_at = now() WHERE id = ${archived}::uuid`;
    const counts = { QUEUED: 1, EXECUTING: 1, COMPLETED: 2, ERROR: 1, complete: true };
    expect(await countsOf(`?COUNTS=${DAY}`, 'ann')).toEqual(counts);
    // Neither filters nor pages of the list change them.
    expect(await countsOf(`?counts=${DAY}&LIMIT=1&PHASE=PENDING`, 'ann')).toEqual(counts);
    expect(await countsOf(`?COUNTS=2026-08-10T10:00:00Z`, 'ann')).toMatchObject({ ERROR: 1 });
    expect(await countsOf('?COUNTS=9999-12-31T23:59:59.999Z', 'ann')).toMatchObject({ QUEUED: 1 });
    expect(await list('', 'ann')).not.toHaveProperty('counts');
  });

  test('are of the same jobs as the list with the same filters', async () => {
    const late = await ended('ben', '2026-08-10T00:00:00.001900Z');
    await ended('ben', '2026-08-10T00:00:00.000900Z');
    const live = await worker.job('AUTO', 'user:ben');
    expect(await countsOf(`?COUNTS=${DAY}`, 'ben')).toMatchObject({ COMPLETED: 1, QUEUED: 1 });
    expect(await idsOf(`?ENDEDAFTER=${DAY}`, 'ben')).toEqual([late]);
    expect(await idsOf(`?PHASE=COMPLETED&ENDEDAFTER=${DAY}`, 'ben')).toEqual([late]);
    expect(await idsOf('?PHASE=QUEUED', 'ben')).toEqual([live]);
  });

  test('of others are for administrators, as the list is', async () => {
    await worker.job('AUTO', 'user:cat');
    expect(await countsOf(`?COUNTS=${DAY}&OWNER=cat`, 'admin')).toEqual({
      QUEUED: 1,
      complete: true,
    });
    const all: Record<string, unknown> = await countsOf(`?COUNTS=${DAY}&OWNER=*`, 'admin');
    expect(Number(all['QUEUED'])).toBeGreaterThan(1);
    expect((await worker.ask(`?COUNTS=${DAY}&OWNER=cat`, { as: 'ann' })).status).toBe(403);
    expect(await countsOf(`?COUNTS=${DAY}`, 'nobody-yet')).toEqual({ complete: true });
  });

  test('say when there are more', async () => {
    for (const hour of [1, 2, 3]) await ended('dan', `2026-08-10T0${hour}:00:00Z`);
    const count = (most: number) => countRecent(worker.database, ['user:dan'], new Date(DAY), most);
    expect(await count(3)).toEqual({ phases: [{ phase: 'COMPLETED', jobs: 3 }], complete: true });
    expect(await count(2)).toMatchObject({ complete: false });
  });

  test.each(['COUNTS=today', 'ENDEDAFTER=x'])('refuse %s', async (query) => {
    const answer = await worker.ask(`?${query}`);
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringMatching(/^parameter-invalid: /),
    ]);
  });
});

test('jobs that have ended are found by any part of their names', async () => {
  const [first, second] = [
    await ended('eve', DAY, 'COMPLETED', 'Deep Field 7, 100%'),
    await ended('eve', DAY, 'FAILED', 'ab'),
  ];
  const find = (name: string) => idsOf(`?NAME=${encodeURIComponent(name)}`, 'eve');
  for (const part of ['Deep Field 7, 100%', 'deep', 'FIELD 7', '00%', 'd 7', '7,', '%'])
    expect([part, await find(part)]).toEqual([part, [first]]);
  for (const part of ['b', 'AB']) expect([part, await find(part)]).toEqual([part, [second]]);
  // All parts of three characters are there, and the whole is not.
  await ended('eve', DAY, 'COMPLETED', 'abcd bcde');
  for (const part of ['abcde', 'deep7', 'deep  field'])
    expect([part, await find(part)]).toEqual([part, []]);
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
