import type { EngineDefinition } from '../engine-definition.ts';
import { slurmKind, type SlurmEngine } from './kind.ts';
import { readSlurm } from './read.ts';

/** Clusters with Slurm. */
export const slurmEngine: EngineDefinition<SlurmEngine> = {
  kind: slurmKind,
  read: (at) => {
    const slurm = readSlurm(at);
    return slurm && { slurm };
  },
  open: async ({ slurm, environments, workflows }, local) => {
    const { slurmRunner } = await import('../slurm-runner.ts');
    return slurmRunner(slurm, { ...local, environments, workflows });
  },
};
