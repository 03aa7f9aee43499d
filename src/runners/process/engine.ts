import type { EngineDefinition } from '../engine-definition.ts';
import { processKind, type ProcessEngine } from './kind.ts';
import { readProcess } from './read.ts';

/** Programs of this machine. */
export const processEngine: EngineDefinition<ProcessEngine> = {
  kind: processKind,
  read: (at, { python }) => {
    const process = readProcess(at);
    return { python, ...(process && { process }) };
  },
  open: async ({ process, python, environments, workflows }, local) => {
    const { processRunner } = await import('../process-runner.ts');
    return processRunner({
      ...local,
      terms: process,
      ...(python !== undefined && { python }),
      ...(environments && { environments }),
      ...(workflows && { workflows }),
    });
  },
};
