import { mebibytes, millicores } from '../../words/units.ts';
import type { JobShape, Limits } from '../port.ts';

/** What the head of a workflow takes of the offer: an interpreter that waits for its steps. */
export const HEAD: Pick<JobShape, 'cores' | 'memory'> = {
  cores: millicores(1000),
  memory: mebibytes(512),
};

/** What is left for all steps together, in Slurm's units. */
export type StepsShare = { readonly cpus: number; readonly memory: number };

/** The share of the steps of a job. */
export function stepsShare({ cores, memory }: Pick<Limits, 'cores' | 'memory'>): StepsShare {
  return { cpus: Math.floor((cores - HEAD.cores) / 1000), memory: memory - HEAD.memory };
}
