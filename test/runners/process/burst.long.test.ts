import { afterAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Workload } from '../../../src/runners/port.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { ended, removeRoot, run, shell, temporaryRoot, until } from '../workloads.ts';
import { PLAIN } from '../../../src/runners/process/start/isolation.ts';
import { isolations, rowsOf } from './isolations.ts';

const root = temporaryRoot();
const jobsRoot = join(root, 'jobs');
const urls = { allowHosts: [], fileRoots: [] };
afterAll(() => removeRoot(root));

/** A job with this many guaranteed cores that may use all of the machine's. */
function wide(script: string, cores: number, most = 4): Workload {
  const work = shell(script, { cores: most, memory: 128, wallTime: 120 });
  return {
    ...work,
    limits: {
      ...work.limits,
      guaranteed: { cores: millicores(cores * 1000), memory: mebibytes(64) },
    },
  };
}

/** Four busy programs, and a function that prints the hundredths of a second that they used. */
const computing = `
  used() { s=0; for p in $all; do set -- $(cut -d" " -f14,15 /proc/$p/stat); s=$((s + $1 + $2)); done; echo $s; }
  for i in 1 2 3 4; do (while :; do :; done) & all="$all $!"; done`;

/**
 * Their use between the files `go` and `stop`; the files `before` and `after` have the ticks at
 * these times.
 */
const measured = `${computing}; : > begun
  until [ -e go ]; do sleep 0.05; done; used > before
  until [ -e stop ]; do sleep 0.05; done; used > after
  kill $all; wait; exit 0`;

function textOf({ job }: Workload): string {
  return readFileSync(join(jobsRoot, job, 'stdout'), 'utf8');
}

const held = isolations.filter(([, { cgroups }]) => cgroups !== undefined).slice(0, 1);
(held.length > 0 ? describe : describe.skip)('where cgroups can be made', () => {
  describe.each(rowsOf(held))('in %s a job that may go beyond its minimum', (_name, isolation) => {
    const runner = processRunner({ jobsRoot, urls, isolation });
    afterAll(() => runner.close());

    test('gets its minimum also beside one that takes whatever it can get', async () => {
      const both = [wide(measured, 1.5), wide(measured, 0.5)] as const;
      const fileOf = ({ job }: Workload, name: string): string => join(jobsRoot, job, 'work', name);
      const tell = (name: string): void =>
        both.forEach((work) => writeFileSync(fileOf(work, name), ''));
      await Promise.all(both.map((work) => runner.submit(work)));
      await until(
        () => both.every((work) => existsSync(fileOf(work, 'begun'))),
        'the beginning of both',
      );
      tell('go');
      await until(
        () => both.every((work) => existsSync(fileOf(work, 'before'))),
        'the first look at both',
      );
      await delay(5000);
      tell('stop');
      await Promise.all(both.map((work) => ended(runner, work.job)));
      const ticks = (work: Workload): number =>
        Number(readFileSync(fileOf(work, 'after'), 'utf8')) -
        Number(readFileSync(fileOf(work, 'before'), 'utf8'));
      // Eight busy programs, four in each job; by their number alone both jobs would get the same.
      const [large, small] = both;
      expect(ticks(large) / ticks(small)).toBeGreaterThan(1.5);
      expect(ticks(large) / ticks(small)).toBeLessThan(6);
    });

    test('is killed before one with a larger minimum, and before the service, when memory runs out', async () => {
      const [work, plain] = [
        wide('cat /proc/self/oom_score_adj', 1),
        shell('cat /proc/self/oom_score_adj', { memory: 128 }),
      ];
      for (const one of [work, plain]) await run(runner, one);
      const pointsOf = (mebibytesOwn: number) =>
        Math.max(0, 1000 - Math.round((mebibytesOwn * 2 ** 20 * 1000) / totalmem()));
      expect([Number(textOf(work)), Number(textOf(plain))]).toEqual([pointsOf(64), pointsOf(128)]);
      expect(Number(textOf(work))).toBeGreaterThan(
        Number(readFileSync('/proc/self/oom_score_adj', 'utf8')),
      );
    });

    test('uses the rest of the machine while nobody else needs it', async () => {
      // On a busy machine the cores are free in some second, sooner or later.
      const tries = (most: number, times: number): Workload =>
        wide(
          `${computing}
        n=0; while [ $n -lt ${times} ]; do
          a=$(used); from=$(date +%s%N); sleep 1; b=$(used); to=$(date +%s%N)
          [ $(((b - a) * 1000000000 / (to - from))) -gt 10 ] && { : > more; break; }; n=$((n + 1))
        done; kill $all; wait; exit 0`,
          0.02,
          most,
        );
      const hasMore = ({ job }: Workload): boolean =>
        existsSync(join(jobsRoot, job, 'work', 'more'));
      const [alone, held] = [tries(4, 80), tries(0.02, 3)];
      await run(runner, alone);
      await run(runner, held);
      // More than a tenth of a core; a fiftieth is guaranteed.
      expect([hasMore(alone), hasMore(held)]).toEqual([true, false]);
    });
  });
});

test('where no cgroup can be created, a job has its minimum and no more', async () => {
  const runner = processRunner({ jobsRoot, urls, isolation: PLAIN });
  const say = 'echo "$OMP_NUM_THREADS"; grep "Max data size" /proc/self/limits';
  const [work, least, most] = [
    wide(say, 2),
    shell(say, { cores: 2, memory: 64 }),
    shell(say, { cores: 4, memory: 128 }),
  ];
  for (const one of [work, least, most]) await run(runner, one);
  expect(textOf(work)).toBe(textOf(least));
  expect(textOf(work)).not.toBe(textOf(most));
  await runner.close();
});
