import { handsOverSteps, type WorkflowTerms } from '../workflows/terms.ts';
import { batchAmountOf } from './batch/begin.ts';
import { openNodePythons } from './batch/python.ts';
import { batchRunner } from './batch/runner.ts';
import type { JobShape, Runner } from './port.ts';
import type { LocalSettings } from './process/start/host.ts';
import type { Interpreters } from './run/interpreter.ts';
import type { SlurmClient } from './slurm/client.ts';
import { HEAD } from './slurm/head.ts';
import { openSlurm } from './slurm/open.ts';
import { commandOf } from './slurm/program.ts';
import type { SlurmSettings } from './slurm/settings.ts';
import { slurmSystem } from './slurm/system.ts';

type SlurmLocal = LocalSettings & {
  /** interpreters on the nodes, best first, instead of those of the settings */
  readonly environments?: Interpreters | undefined;
  /** the interpreters of workflows on the nodes */
  readonly workflows?: WorkflowTerms | undefined;
};

/**
 * The runner for clusters with Slurm.
 *
 * @param client in place of the one that the settings name, for tests
 * @throws Error when the settings do not fit this machine, saying what to change
 */
export function slurmRunner(
  settings: SlurmSettings,
  { jobsRoot, urls, stager, environments, workflows }: SlurmLocal,
  client?: SlurmClient,
): Runner {
  const { slurm, advance, account, reached } = openSlurm(settings, client);
  const pythons = openNodePythons(environments, jobsRoot);
  const gresOf = (gpus: JobShape['gpus']): string | undefined =>
    gpus && `${settings.gres[gpus.type] ?? 'gpu'}:${gpus.count}`;
  const runner = batchRunner(
    jobsRoot,
    {
      system: slurmSystem(slurm, reached),
      account,
      stager,
      commandOf: async (workload, making) => {
        const python = await pythons.of(workload);
        const interpreters = python === undefined ? {} : { python, jupyter: python };
        return commandOf(workload, making, { ...settings, workflows, ...interpreters }, urls);
      },
      gresOf,
      headOf: ({ task }) => (handsOverSteps(workflows, task.type) ? HEAD : undefined),
      isReserved: settings.guarantee === 'reservation',
    },
    settings,
  );
  return {
    ...pythons.closedBy(runner),
    ...(advance !== undefined && { advance }),
    predict: (shape) => slurm.predict(batchAmountOf(shape, gresOf)),
  };
}
