import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Client } from 'pg';
import { visibleJob } from '../../src/uws/call.ts';
import type { Job } from '../../src/uws/job.ts';
import { holdWhile } from '../../src/uws/live/hold.ts';
import { openWaiters } from '../../src/uws/live/waiters.ts';
import { newId } from './clients/jobs.ts';
import { openWorker, until, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker({ waitsPerOwner: 3 });
});
afterAll(() => worker.close());

async function phaseIn(answer: ReturnType<Worker['ask']>): Promise<string | undefined> {
  return /<uws:phase>(\w+)</.exec((await answer).text)?.[1];
}
function waiting(count: number): Promise<void> {
  return until(() => worker.waiters.size() === count);
}

describe('GET with WAIT', () => {
  test('answers when the phase changes, and not when only the session does', async () => {
    const id = await worker.job();
    let answered = false;
    const answer = worker.ask(`/${id}?WAIT=60`).finally(() => {
      answered = true;
    });
    await waiting(1);
    await worker.executor.begin(id);
    await worker.executor.advance(id, 'AVAILABLE');
    await waiting(1);
    expect(answered).toBe(false);
    await worker.executor.advance(id, 'RUNNING');
    expect(await phaseIn(answer)).toBe('EXECUTING');
    expect(worker.waiters.size()).toBe(0);
  });

  test('of -1 is answered when the job ends', async () => {
    const id = await worker.start(await worker.job());
    const answer = worker.ask(`/${id}?WAIT=-1&PHASE=EXECUTING`);
    await waiting(1);
    await worker.executor.finish(id, 'FAILED');
    expect(await phaseIn(answer)).toBe('ERROR');
  });

  test('answers at once in a final phase, and in another phase than PHASE names', async () => {
    const done = await worker.complete(await worker.job());
    expect(await phaseIn(worker.ask(`/${done}?WAIT=-1`))).toBe('COMPLETED');
    const queued = await worker.job();
    expect(await phaseIn(worker.ask(`/${queued}?WAIT=-1&PHASE=EXECUTING`))).toBe('QUEUED');
    expect(await phaseIn(worker.ask(`/${queued}?WAIT=-1&PHASE=COMPLETED`))).toBe('QUEUED');
  });

  test('answers with the present phase when nothing changes in time', async () => {
    const id = await worker.job('CLIENT');
    expect(await phaseIn(worker.ask(`/${id}?wait=1`))).toBe('PENDING');
    expect(worker.waiters.size()).toBe(0);
  });

  test('is refused with an invalid value, even of a finished job', async () => {
    const done = await worker.complete(await worker.job());
    for (const query of ['WAIT=0', 'WAIT=-2', 'WAIT=soon', 'WAIT=1&PHASE=pending'])
      expect((await worker.ask(`/${done}?${query}`)).status).toBe(400);
  });

  test('is 404 when the job is destroyed meanwhile', async () => {
    const id = await worker.job();
    const answer = worker.ask(`/${id}?WAIT=60`);
    await waiting(1);
    await worker.ask(`/${id}`, { method: 'DELETE' });
    expect((await answer).status).toBe(404);
  });

  test('of a client that goes away leaves nothing behind', async () => {
    const id = await worker.job();
    const client = new AbortController();
    const answer = worker.ask(`/${id}?WAIT=60`, { signal: client.signal });
    const outcome = answer.catch((error: unknown) => error);
    await waiting(1);
    client.abort();
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    await waiting(0);
  });

  test("above an owner's limit is answered at once, and others are not affected", async () => {
    const [mine, theirs] = [await worker.job(), await worker.job('AUTO', 'user:alice')];
    const held = [1, 2, 3].map(() => worker.ask(`/${mine}?WAIT=60`));
    await waiting(3);
    expect(await phaseIn(worker.ask(`/${mine}?WAIT=60`))).toBe('QUEUED');
    const other = worker.ask(`/${theirs}?WAIT=60`, { as: 'alice' });
    await waiting(4);
    await Promise.all([worker.start(mine), worker.start(theirs)]);
    expect(await Promise.all([...held, other].map(phaseIn))).toEqual([
      'EXECUTING',
      'EXECUTING',
      'EXECUTING',
      'EXECUTING',
    ]);
  });

  test('answers every one of hundreds of clients, on many jobs or on one', async () => {
    const owners = Array.from({ length: 100 }, (_, n) => `user:${n}`);
    const ids = await Promise.all(owners.map((owner) => worker.job('AUTO', owner)));
    const answers = ids.flatMap((id, n) =>
      [1, 2, 3].map(() => worker.ask(`/${id}?WAIT=60`, { as: `${n}` })),
    );
    await waiting(300);
    for (const id of ids) await worker.start(id);
    expect(new Set(await Promise.all(answers.map(phaseIn)))).toEqual(new Set(['EXECUTING']));
    expect(worker.waiters.size()).toBe(0);
  });

  test('notices a change that happened while the connection was lost', async () => {
    const id = await worker.job();
    const answer = worker.ask(`/${id}?WAIT=60`);
    await waiting(1);
    // The connection breaks while the phase changes, so the notification finds no listener.
    const [lost] = await worker.database.$queryRaw<{ count: number }[]>`
      SELECT count(pg_terminate_backend(pid))::int AS count FROM pg_stat_activity
      WHERE query IN ('LISTEN session', 'SELECT 1') AND datname = current_database()`;
    expect(lost?.count).toBeGreaterThan(0);
    await worker.start(id);
    expect(await phaseIn(answer)).toBe('EXECUTING');
  });
});

describe('holding an answer', () => {
  test('does not miss a change between the reading and the waiting', async () => {
    const id = await worker.job();
    const read = () =>
      visibleJob(worker.database, { owner: 'anonymous', administrator: false }, id);
    let first = true;
    const slowly = async (): Promise<Job> => {
      const stale = await read();
      if (first) {
        first = false;
        await worker.start(id);
        await waiting(0);
      }
      return stale;
    };
    const stay = ({ state }: Job): boolean => state === 'ACCEPTED';
    const latest = await holdWhile(worker.waiters, id, new PassThrough(), 3600, slowly, stay);
    expect(latest.state).toBe('RUNNING');
  });

  test('ends at once when the client has gone already', async () => {
    const id = await worker.job();
    const gone = new PassThrough();
    gone.destroy();
    await once(gone, 'close');
    const read = () =>
      visibleJob(worker.database, { owner: 'anonymous', administrator: false }, id);
    await holdWhile(worker.waiters, id, gone, 3600, read, () => true);
    expect(worker.waiters.size()).toBe(0);
  });
});

describe('waiters', () => {
  test('are answered when the service closes', async () => {
    const waiters = openWaiters({ url: worker.url, onLost: () => undefined });
    const change = waiters.next(newId(), new AbortController().signal);
    await waiters.close();
    await change;
    expect(waiters.size()).toBe(0);
    await waiters.next(newId(), new AbortController().signal);
  });

  test('report a database that cannot be reached, and notice changes once it is back', async () => {
    const url = new URL(worker.url);
    url.pathname += '_later';
    const lost: Error[] = [];
    const waiters = openWaiters({ url: url.href, onLost: (error) => lost.push(error) });
    const id = newId();
    const change = waiters.next(id, new AbortController().signal);
    await until(() => lost.length > 0);
    expect(lost[0]?.message).toMatch(/does not exist/);
    const client = new Client({ connectionString: worker.url });
    await client.connect();
    await client.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
    await client.end();
    await change;
    await waiters.close();
  });
});

test('no answer was a server error', () => expect(worker.unexpected).toEqual([]));
