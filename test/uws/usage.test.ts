import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeJob } from '../../src/uws/job.ts';
import { jobXml } from '../../src/uws/print/documents.ts';
import { readJob } from '../../src/uws/store/read-job.ts';
import { job, places } from './clients/jobs.ts';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

describe('what a job used', () => {
  test('is shown in jobInfo, with null or nothing for what its engine does not count', () => {
    const ended = job({ usage: { wallS: 12.5, processorS: 20 } });
    expect(describeJob(ended, places).jobInfo.session.usage).toEqual({
      wallTime: 12.5,
      processorTime: 20,
      peakMemory: null,
    });
    expect(jobXml(describeJob(ended, places))).toContain(
      '<usage><wallTime>12.5</wallTime><processorTime>20</processorTime></usage>',
    );
    expect(jobXml(describeJob(job(), places))).not.toContain('usage');
  });

  test('is kept with its end, and its time is that of the book', async () => {
    const id = await worker.start(await worker.job());
    expect((await readJob(worker.database, id))?.usage).toBeNull();
    await worker.database
      .$executeRaw`UPDATE job SET started_at = started_at - interval '1 hour' WHERE id = ${id}::uuid`;
    await worker.executor.advance(id, 'RELEASING');
    await worker.database.$queryRaw`
      SELECT finish_job(${id}::uuid, 'executor-1', 'COMPLETED', NULL, '[]',
        NULL, '{"processorS": 1.5, "memoryMib": 64}')`;
    const ended = await readJob(worker.database, id);
    expect(ended?.usage).toEqual({ processorS: 1.5, memoryMib: 64, wallS: expect.any(Number) });
    const took = Number(ended?.endedAt) - Number(ended?.startedAt);
    expect(took).toBeGreaterThan(3_600_000);
    expect(Math.abs((ended?.usage?.wallS ?? 0) * 1000 - took)).toBeLessThan(10_000);
  });

  test('is nothing where it never began', async () => {
    const id = await worker.job();
    await worker.database.$queryRaw`SELECT end_job(${id}::uuid, 'CANCELLED', NULL)`;
    expect((await readJob(worker.database, id))?.usage).toBeNull();
  });
});
