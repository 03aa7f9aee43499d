import { expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, until } from '../workloads.ts';
import type { ContractBench } from './bench.ts';

/** Promises to executors: jobs outlive them, run once and are isolated. */
export function executorPromises(bench: ContractBench): void {
  const { openRunner, script, textOf, stopped, patience, limit } = bench;

  test(
    'a job that is submitted again runs once',
    async () => {
      const work = script('echo run >> count; sleep 1');
      await Promise.all([bench.runner.submit(work), bench.runner.submit(work)]);
      await bench.runner.submit(work);
      const outcome = await ended(bench.runner, work.job, patience * 1000);
      await bench.runner.submit(work);
      expect(textOf(work, 'count', outcome)).toBe('run\n');
      expect(await bench.runner.look(work.job)).toEqual({ state: 'ended', outcome });
    },
    limit,
  );

  test(
    'output can be read while the job runs, and goes on when another executor takes it over',
    async () => {
      const work = script('echo first; echo trouble >&2; sleep 4; echo second; sleep 300');
      const holds = (file: string, text: string) => (): boolean => {
        const path = join(bench.subject.jobsRoot, work.job, file);
        return existsSync(path) && readFileSync(path, 'utf8') === text;
      };
      const before = bench.subject.open();
      await before.submit(work);
      await until(holds('stdout', 'first\n'), 'output while it runs');
      await until(holds('stderr', 'trouble\n'), 'errors while it runs');
      await before.close();
      await until(
        async () => (await bench.runner.look(work.job)).state === 'running',
        'the run that is taken over',
      );
      await until(holds('stdout', 'first\nsecond\n'), 'more output');
      await stopped(work);
      expect(await bench.runner.look(work.job)).toMatchObject({
        state: 'ended',
        outcome: {
          results: expect.arrayContaining([expect.objectContaining({ id: 'stdout', size: 13 })]),
        },
      });
    },
    limit,
  );

  test(
    'a job goes on when its executor dies, and the next executor learns how it ended',
    async () => {
      const first = openRunner();
      const work = script(
        'echo one; until [ -e go ]; do sleep 0.2; done; echo two; echo kept > kept.txt',
      );
      await first.submit(work);
      await first.close();
      const second = openRunner();
      expect(['queued', 'running']).toContain((await second.look(work.job)).state);
      await second.submit(work);
      writeFileSync(join(bench.subject.jobsRoot, work.job, 'work', 'go'), '');
      const outcome = await ended(second, work.job, patience * 1000);
      expect(outcome).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout', outcome)).toBe('one\ntwo\n');
      expect(textOf(work, 'kept.txt', outcome)).toBe('kept\n');
    },
    limit,
  );

  test(
    'a job that ended while no executor was there has its results',
    async () => {
      const first = openRunner();
      const work = script('echo one; sleep 1; echo two; exit 4');
      await first.submit(work);
      await first.close();
      await until(async () => !(await bench.subject.isAlive(work.job)), 'the end of the job');
      const outcome = await ended(openRunner(), work.job, patience * 1000);
      expect(outcome).toMatchObject({ kind: 'failed', message: 'the task ended with exit code 4' });
      expect(textOf(work, 'stdout', outcome)).toBe('one\ntwo\n');
    },
    limit,
  );

  test(
    'listeners hear of the end',
    async () => {
      const told: string[] = [];
      const work = script('sleep 0.3');
      bench.runner.onEnded(
        (job) =>
          void (job === work.job && bench.runner.look(job).then(({ state }) => told.push(state))),
      );
      await bench.runner.submit(work);
      await until(() => told.includes('ended'), 'the call');
      expect(told.filter((state) => state === 'ended')).toHaveLength(1);
    },
    limit,
  );

  test(
    'twenty jobs at once all run, and keep their output apart',
    async () => {
      const works = Array.from({ length: 20 }, (_, index) =>
        script(`echo ${index}; echo ${index} > own.txt`),
      );
      await Promise.all(works.map((work) => bench.runner.submit(work)));
      for (const [index, work] of works.entries()) {
        const outcome = await ended(bench.runner, work.job, patience * 4000);
        expect(textOf(work, 'stdout', outcome)).toBe(`${index}\n`);
        expect(textOf(work, 'own.txt', outcome)).toBe(`${index}\n`);
      }
    },
    limit * 4,
  );
}
