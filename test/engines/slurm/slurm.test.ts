import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { runnerContract } from '../../runners/contract.ts';
import {
  byCommands,
  bySlurmrestd,
  isAlive,
  NO_URLS,
  settingsOf,
  slurmMissing,
  startCluster,
} from './slurm.ts';
import { withEngine } from '../summary.ts';

const missing = slurmMissing();

withEngine('slurm', missing, () => {
  for (const [name, access] of [
    ['commands', byCommands],
    ['slurmrestd', bySlurmrestd],
  ] as const) {
    runnerContract(
      `slurm (${name})`,
      async () => {
        const cluster = await startCluster();
        const { jobsRoot } = cluster;
        return {
          jobsRoot,
          open: () => slurmRunner(settingsOf(access(cluster)), { jobsRoot, urls: NO_URLS }),
          isAlive,
          close: cluster.close,
        };
      },
      { letsGoLate: true },
    );
  }
});
