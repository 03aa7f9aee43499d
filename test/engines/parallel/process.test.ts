import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import { DEFAULT_PROCESS_SETTINGS } from '../../../src/runners/process/settings.ts';
import { ended, removeRoot, run, temporaryRoot, until } from '../../runners/workloads.ts';
import { isolations } from '../../runners/process/isolations.ts';
import { withEngine } from '../summary.ts';
import { ranksOf } from './ranks.ts';
import { compileRing, mpiMissing, type Ring } from './ring.ts';
import { parallel } from './work.ts';

withEngine('parallel jobs, with process', mpiMissing(), () => {
  let ring: Ring;
  beforeAll(() => {
    ring = compileRing();
  });
  afterAll(() => ring?.close());

  describe.each(isolations)('%s', (_name, isolation) => {
    const root = temporaryRoot();
    let runner: Runner;
    const open = (): Runner =>
      processRunner({
        jobsRoot: root,
        urls: { allowHosts: [], fileRoots: [] },
        isolation,
        terms: { ...DEFAULT_PROCESS_SETTINGS, paths: [ring.folder] },
      });
    beforeAll(() => {
      runner = open();
    });
    afterAll(async () => {
      await runner?.close();
      removeRoot(root);
    });

    const textOf = ({ job }: Workload, path: string): string =>
      readFileSync(join(root, job, path), 'utf8');
    /** Two machines with two cores each: more than this machine may have. */
    const onMachines = (script: string, more: Parameters<typeof parallel>[1] = {}): Workload =>
      parallel(script, { cores: 4, memory: 1024, ...more });

    test('the command starts once, and mpirun starts a rank for each core of all machines', async () => {
      const work = onMachines(
        `mpirun ${ring.program}; echo "$MACHINE_HOSTS $OMP_NUM_THREADS"; cat "$MACHINE_HOST_FILE"; ` +
          'mpirun -n 2 head -c 30000000 /dev/zero | wc -c',
      );
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stderr')).toBe('');
      expect(textOf(work, 'stdout')).toBe(
        'ring of 4 gave 4\n0=localhost,1=localhost 1\nlocalhost slots=4\n60000000\n',
      );
    });

    test('a stopped job leaves no rank, and its results are what all of them printed', async () => {
      const work = onMachines(`mpirun ${ring.program} never`);
      await runner.submit(work);
      await until(
        () => ranksOf(ring).length === 4 && textOf(work, 'stdout') !== '',
        'the token went round',
      );
      await runner.stop(work.job, 'cancelled');
      expect(ranksOf(ring)).toEqual([]);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
      expect(textOf(work, 'stdout')).toBe('ring of 4 gave 4\n');
    });

    test('the time limit ends all ranks, and is told', async () => {
      const work = onMachines(`mpirun ${ring.program} never`, { wallTime: 2 });
      expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
      expect(ranksOf(ring)).toEqual([]);
    });

    test('the memory of all machines together is the limit where a cgroup counts it, and that is told', async () => {
      const work = onMachines('mpirun -n 2 sh -c "head -c 1500M /dev/zero | tail"');
      // Without a cgroup each process has its own limit, and may say so in its own words.
      const told = isolation.cgroups === undefined ? /^(memory|failed)$/ : /^memory$/;
      const outcome = await run(runner, work);
      expect(outcome.kind === 'stopped' ? outcome.reason : outcome.kind).toMatch(told);
    });

    test('an executor that comes after another one goes on with the job, which starts no second time', async () => {
      const work = onMachines(`echo begin; mpirun ${ring.program} go`);
      await runner.submit(work);
      await until(() => ranksOf(ring).length === 4, 'all ranks run');
      const second = open();
      await second.submit(work);
      writeFileSync(join(root, work.job, 'work/go'), '');
      expect(await ended(second, work.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'stdout')).toBe('begin\nring of 4 gave 4\n');
      await second.close();
    });
  });
});
