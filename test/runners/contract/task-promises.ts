import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../workloads.ts';
import type { ContractBench } from './bench.ts';

/** Promises about the inputs of a task and its results. */
export function taskPromises(bench: ContractBench): void {
  const { script, argv, textOf, cores, limit } = bench;

  test(
    'a job that is submitted runs and completes, with what it printed',
    async () => {
      const work = script('echo out; echo err >&2');
      const outcome = await run(bench.runner, work);
      expect(outcome).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout', outcome)).toBe('out\n');
      expect(textOf(work, 'stderr', outcome)).toBe('err\n');
    },
    limit,
  );

  test(
    'files of the working directory are results, links are not',
    async () => {
      const work = script('mkdir t; echo 1 > "t/a b.csv"; ln -s /etc/passwd link; echo x > y.txt');
      const outcome = await run(bench.runner, work);
      expect(
        outcome.results
          .map(({ id, mimeType, size }) => [id, mimeType, size])
          .filter(([id]) => id !== 'stdout' && id !== 'stderr'),
      ).toEqual([
        ['t_a_b.csv', 'text/csv; charset=utf-8', 2],
        ['y.txt', 'text/plain; charset=utf-8', 2],
      ]);
      expect(textOf(work, 't_a_b.csv', outcome)).toBe('1\n');
    },
    limit,
  );

  test(
    'output is kept byte for byte, even without a final line end',
    async () => {
      const work = script(String.raw`printf 'a\000\377b'; printf 'no end' >&2`);
      const outcome = await run(bench.runner, work);
      const stdout = outcome.results.find(({ id }) => id === 'stdout');
      expect([...readFileSync(join(bench.subject.jobsRoot, work.job, stdout?.path ?? ''))]).toEqual(
        [97, 0, 255, 98],
      );
      expect(textOf(work, 'stderr', outcome)).toBe('no end');
    },
    limit,
  );

  test(
    'a job that fails has its exit code and the end of its standard error',
    async () => {
      expect(await run(bench.runner, script('echo because >&2; exit 3'))).toMatchObject({
        kind: 'failed',
        code: 'task-failed',
        message: 'the task ended with exit code 3',
        detail: 'because\n',
        transient: false,
      });
    },
    limit,
  );

  test(
    'a missing program fails the task and not the engine',
    async () => {
      expect(await run(bench.runner, argv(['/no/such/program']))).toMatchObject({
        kind: 'failed',
        code: 'task-failed',
        transient: false,
      });
    },
    limit,
  );

  test(
    'arguments and environment arrive as they are: no shell reads them',
    async () => {
      const words = ['$(id)', '`id`', "it's", 'a  b', '*', '', '-n', 'é"\\', 'two\nlines'];
      const work = argv(
        [
          '/bin/sh',
          '-c',
          'for word; do printf "[%s]" "$word"; done; printf "{%s}" "$GREETING"',
          'sh',
          ...words,
        ],
        { GREETING: '$HOME; \'"\\ é' },
      );
      const outcome = await run(bench.runner, work);
      expect(textOf(work, 'stdout', outcome)).toBe(
        `${words.map((word) => `[${word}]`).join('')}{$HOME; '"\\ é}`,
      );
    },
    limit,
  );

  test(
    'a job knows its id, its cores and its volumes, and nothing of the service',
    async () => {
      process.env['CONTRACT_SECRET'] = 'of the service';
      const work = script('env; echo kept > "$VOLUME_MY_DATA/y"; ls in/data', {
        cores,
        volumes: [{ name: 'my-data', path: 'in/data', mode: 'rw' }],
        environment: { PLANNER_JOB_ID: 'forged' },
      });
      const outcome = await run(bench.runner, work);
      delete process.env['CONTRACT_SECRET'];
      const lines = textOf(work, 'stdout', outcome).split('\n');
      expect(lines).toEqual(
        expect.arrayContaining([
          `PLANNER_JOB_ID=${work.job}`,
          `OMP_NUM_THREADS=${Math.floor(cores)}`,
          'y',
        ]),
      );
      expect(lines.join()).not.toContain('of the service');
    },
    limit,
  );
}
