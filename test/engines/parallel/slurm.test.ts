import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workload } from '../../../src/runners/port.ts';
import { ranksOf } from './ranks.ts';
import { ended, patiently, shell, until } from '../../runners/workloads.ts';
import { openSlurmBench } from '../slurm/bench.ts';
import { byCommands, bySlurmrestd, slurmMissing } from '../slurm/slurm.ts';
import { withEngine } from '../summary.ts';
import { compileRing, mpiMissing, type Ring } from './ring.ts';
import { parallel } from './work.ts';

withEngine('parallel jobs, with slurm', slurmMissing() ?? mpiMissing(), () => {
  const bench = openSlurmBench();
  let ring: Ring;
  beforeAll(() => {
    ring = compileRing();
  });
  afterAll(() => ring?.close());

  /** Both nodes are on this machine, where their ranks would mix up their shared memory. */
  const onNodes = (script: string, more: Parameters<typeof parallel>[1] = {}): Workload =>
    parallel(`export OMPI_MCA_btl=tcp,self; ${script}`, { cores: 4, memory: 1000, ...more });

  describe.each([
    ['commands', byCommands],
    ['slurmrestd', bySlurmrestd],
  ] as const)('by %s', (_name, access) => {
    test('the command starts once, on nodes that it finds, and mpirun reaches all of their cores', async () => {
      const work = onNodes(
        `mpirun ${ring.program}; echo "$MACHINE_HOSTS $OMP_NUM_THREADS"; ` +
          'cat "$MACHINE_HOST_FILE"; mpirun printenv SLURMD_NODENAME',
      );
      const runner = bench.openBy(access(bench.cluster));
      await runner.submit(work);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      expect(bench.textOf(work, 'stderr')).toBe('');
      const [said, hosts, ...rest] = bench.textOf(work, 'stdout').trim().split('\n');
      expect([said, hosts]).toEqual(['ring of 4 gave 4', expect.stringMatching(/^0=\w+,1=\w+ 1$/)]);
      expect(rest.toSorted()).toEqual(
        bench.cluster.nodes.flatMap((node) => [node, node, `${node} slots=2`]).toSorted(),
      );
      const told = await bench.cluster.run('scontrol', 'show', 'job', bench.idOf(work));
      expect(told).toMatch(/NumNodes=2 NumCPUs=4 /);
      expect(told).toMatch(/MinMemoryNode=500M/);
    });

    test('each rank sees the GPUs of its own machine', async () => {
      const gpus = { type: 'https://example.org/gpu', count: 1 };
      const runner = bench.openBy(access(bench.cluster));
      // It takes the first GPU of one of the nodes.
      const other = { ...shell('sleep 300'), gpus };
      await runner.submit(other);
      await bench.running(other);
      const work = onNodes(`mpirun sh -c 'echo "$SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"'`, {
        gpus,
      });
      await runner.submit(work);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      const taken = await bench.cluster.run(
        'squeue',
        '--noheader',
        '--format=%N',
        `--jobs=${bench.idOf(other)}`,
      );
      const ranks = bench.cluster.nodes.map((node) => `${node} ${taken.trim() === node ? 1 : 0}`);
      expect(bench.textOf(work, 'stdout').trim().split('\n').toSorted()).toEqual(
        [...ranks, ...ranks].toSorted(),
      );
      await patiently(() => runner.remove(other.job));
    });
  });

  test('a stopped job leaves no rank on any node', async () => {
    const work = onNodes(`mpirun ${ring.program} never`);
    await bench.runner.submit(work);
    await until(() => ranksOf(ring).length === 4, 'all ranks run');
    await patiently(() => bench.runner.stop(work.job, 'cancelled'));
    expect(ranksOf(ring)).toEqual([]);
    expect(await bench.runner.look(work.job)).toMatchObject({
      state: 'ended',
      outcome: { kind: 'stopped', reason: 'cancelled' },
    });
  });

  test('the time limit ends all ranks, and is told', async () => {
    const work = onNodes(`mpirun ${ring.program} never`, { wallTime: 4 });
    await bench.runner.submit(work);
    expect(await ended(bench.runner, work.job)).toMatchObject({
      kind: 'stopped',
      reason: 'wall-time',
    });
    expect(ranksOf(ring)).toEqual([]);
  });

  test('memory that one rank on another node takes is told as for every job', async () => {
    const work = onNodes(
      `mpirun sh -c '[ "$OMPI_COMM_WORLD_RANK" != 3 ] || head -c 900M /dev/zero | tail'`,
    );
    await bench.runner.submit(work);
    expect(await ended(bench.runner, work.job)).toMatchObject({
      kind: 'stopped',
      reason: 'memory',
      message: expect.stringMatching(/1000 MiB.* offered/),
    });
  });

  test('a job that is over says what it used on all nodes', async () => {
    const busy = String.raw`$x = "a" x 100e6; 1 until (times)[0] > 0.5; print "$ENV{SLURMD_NODENAME}\n"`;
    const work = onNodes(`mpirun --map-by ppr:1:node perl -e '${busy}'`);
    await bench.runner.submit(work);
    const { usage } = await ended(bench.runner, work.job);
    expect(bench.textOf(work, 'stdout').trim().split('\n').toSorted()).toEqual(
      bench.cluster.nodes.toSorted(),
    );
    expect(usage?.processorS).toBeGreaterThan(1);
    expect(usage?.memoryMib).toBeGreaterThan(190);
    expect(usage?.memoryMib).toBeLessThan(1000);
  });

  test('an executor that comes after another one goes on with the job, which starts no second time', async () => {
    const work = onNodes(`echo begin; mpirun ${ring.program} go`);
    const first = bench.open();
    await first.submit(work);
    await until(() => ranksOf(ring).length === 4, 'all ranks run');
    await first.close();
    const second = bench.open();
    await second.submit(work);
    expect(await second.look(work.job)).toMatchObject({ state: 'running' });
    writeFileSync(join(bench.cluster.jobsRoot, work.job, 'work/go'), '');
    expect(await ended(second, work.job)).toMatchObject({
      kind: 'completed',
      results: expect.arrayContaining([expect.objectContaining({ id: 'stdout' })]),
    });
    expect(bench.textOf(work, 'stdout')).toBe('begin\nring of 4 gave 4\n');
  });
});
