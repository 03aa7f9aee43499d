import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JobId } from '../../src/words/ids.ts';
import { openWorker, type Worker } from './clients/worker.ts';

/** In the words of the executor: src/executor/claims.ts. */
describe('a job whose engine does not know its state', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await openWorker();
  });
  afterAll(() => worker.close());

  const running = async (): Promise<JobId> => worker.start(await worker.job('AUTO'));
  const doubt = (job: JobId, isUnknown: boolean, executor = 'executor-1') =>
    worker.database.$queryRaw<
      { held: boolean }[]
    >`SELECT doubt_job(${job}::uuid, ${executor}, ${isUnknown}) AS held`;

  test('is UNKNOWN in its document and in the list, and recovers with the engine', async () => {
    const job = await running();
    expect(await doubt(job, true)).toEqual([{ held: true }]);
    expect(await worker.phase(job)).toBe('UNKNOWN');
    expect((await worker.ask(`/${job}`)).text).toContain('<uws:phase>UNKNOWN</uws:phase>');
    expect((await worker.ask('?PHASE=UNKNOWN')).text).toContain(job);
    expect((await worker.ask('?PHASE=EXECUTING')).text).not.toContain(job);
    await doubt(job, false);
    expect(await worker.phase(job)).toBe('EXECUTING');
    expect((await worker.ask('?PHASE=UNKNOWN')).text).not.toContain(job);
  });

  test('is reported to those who wait', async () => {
    const job = await running();
    const waiting = worker.ask(`/${job}?WAIT=30&PHASE=EXECUTING`);
    while (worker.waiters.size() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await doubt(job, true);
    expect((await waiting).text).toContain('<uws:phase>UNKNOWN</uws:phase>');
  });

  test('ends in ERROR like any other, and only its own executor can doubt it', async () => {
    const job = await running();
    expect(await doubt(job, true, 'executor-2')).toEqual([{ held: false }]);
    await doubt(job, true);
    await worker.executor.finish(job, 'FAILED', {
      code: 'run-lost',
      type: 'transient',
      message: 'lost',
      detail: '',
    });
    expect(await worker.phase(job)).toBe('ERROR');
  });

  test('can be aborted', async () => {
    const job = await running();
    await doubt(job, true);
    expect((await worker.ask(`/${job}/phase`, { form: 'PHASE=ABORT' })).status).toBe(303);
    await worker.executor.finish(job, 'CANCELLED');
    expect(await worker.phase(job)).toBe('ABORTED');
  });
});
