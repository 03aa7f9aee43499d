import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newJob, run, until } from '../workloads.ts';
import type { ContractBench } from './bench.ts';

/** Promises about stopping and removing a job at any time. */
export function stopPromises(bench: ContractBench): void {
  const { script, stopped, limit } = bench;

  test(
    'an unknown job is absent; stopping and removing it does nothing',
    async () => {
      const job = newJob();
      await bench.runner.stop(job, 'cancelled');
      await bench.runner.remove(job);
      expect(await bench.runner.look(job)).toEqual({ state: 'absent' });
    },
    limit,
  );

  test(
    'a job that is stopped ends with everything it started, and says who stopped it',
    async () => {
      const work = script(
        `trap '' TERM; echo begun; (setsid sh -c 'trap "" TERM; sleep 300' &) ; sleep 300`,
      );
      await bench.runner.submit(work);
      await until(
        () =>
          existsSync(join(bench.subject.jobsRoot, work.job, 'stdout')) &&
          readFileSync(join(bench.subject.jobsRoot, work.job, 'stdout'), 'utf8') === 'begun\n',
        'output while it runs',
      );
      expect(await bench.runner.look(work.job)).toEqual({ state: 'running' });
      await stopped(work);
      expect(await bench.subject.isAlive(work.job)).toBe(false);
      expect(await bench.runner.look(work.job)).toMatchObject({
        state: 'ended',
        outcome: {
          kind: 'stopped',
          reason: 'cancelled',
          results: expect.arrayContaining([expect.objectContaining({ id: 'stdout', size: 6 })]),
        },
      });
    },
    limit,
  );

  test(
    'a job that has ended stays as it ended when it is stopped',
    async () => {
      const work = script('exit 0');
      const outcome = await run(bench.runner, work);
      await bench.runner.stop(work.job, 'cancelled');
      expect(await bench.runner.look(work.job)).toEqual({ state: 'ended', outcome });
    },
    limit,
  );

  test(
    'a job that is removed is stopped first and leaves nothing',
    async () => {
      const work = script('mkdir -p a/b; echo x > a/b/c; chmod 500 a/b a; sleep 300');
      await bench.runner.submit(work);
      await bench.runner.remove(work.job);
      expect(await bench.subject.isAlive(work.job)).toBe(false);
      expect(existsSync(join(bench.subject.jobsRoot, work.job))).toBe(false);
      expect(await bench.runner.look(work.job)).toEqual({ state: 'absent' });
    },
    limit,
  );
}
