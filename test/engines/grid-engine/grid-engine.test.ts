import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openPluginRunner } from '../../../src/plugins/open-runner.ts';
import type { Runner } from '../../../src/runners/port.ts';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { runnerContract } from '../../runners/contract.ts';
import { run, shell } from '../../runners/workloads.ts';
import { withEngine } from '../summary.ts';
import { gridEngineMissing, startGridCluster, type GridCluster } from './cluster.ts';

function openWith({
  jobsRoot,
  settings,
}: Pick<GridCluster, 'jobsRoot' | 'settings'>): Promise<Runner> {
  return openPluginRunner({
    plugins: 'docs/examples/plugins',
    name: 'grid-engine',
    settings,
    jobsRoot,
  });
}

async function isAlive(job: string): Promise<boolean> {
  return readProcesses().some(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${job}`));
}

withEngine('grid-engine', gridEngineMissing(), () => {
  runnerContract(
    'grid-engine',
    async () => {
      const cluster = await startGridCluster();
      return {
        jobsRoot: cluster.jobsRoot,
        open: () => openWith(cluster),
        isAlive,
        close: cluster.close,
      };
    },
    { letsGoLate: true },
  );

  describe('the grid-engine runner', () => {
    let cluster: GridCluster;
    beforeAll(async () => {
      cluster = await startGridCluster();
    }, 200_000);
    afterAll(() => cluster?.close(), 100_000);

    test('stops a job whose processes together take more memory than offered', async () => {
      const runner = await openWith(cluster);
      const eat = "/usr/bin/python3 -c 'import time; x = bytearray(80_000_000); time.sleep(300)'";
      const work = shell(`for i in 1 2 3 4; do ${eat} & done; wait`, { memory: 64 });
      expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'memory' });
      await runner.close();
    }, 200_000);

    test('says that the qmaster does not answer, or that there is no such queue', async () => {
      const { jobsRoot, settings } = cluster;
      const runner = await openWith(cluster);
      await runner.probe?.();
      const other = await openWith({ jobsRoot, settings: { ...settings, queue: 'none.q' } });
      await expect(other.probe?.()).rejects.toThrow('none.q');
      await cluster.stopMaster();
      await expect(runner.probe?.()).rejects.toThrow(/qmaster|commlib/);
      await cluster.startMaster();
      await runner.probe?.();
      await runner.close();
      await other.close();
    }, 200_000);
  });
});
