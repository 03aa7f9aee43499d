import type { ContainerSettings } from './container/settings.ts';
import type { SlurmSettings } from './slurm/settings.ts';

export type { ContainerSettings, EngineAddress } from './container/settings.ts';
export type { SlurmAccess, SlurmSettings } from './slurm/settings.ts';

/**
 * An execution engine with what a site says of it. `runner` names the adapter; a destination's key of the same name holds
 * its settings (docs/site-file.md).
 */
export type Engine =
  | { readonly runner: 'process'; readonly python: string | undefined }
  | { readonly runner: 'notebook' }
  | { readonly runner: 'slurm'; readonly slurm: SlurmSettings }
  | { readonly runner: 'container'; readonly container: ContainerSettings };

/** Adapters, as the site file names them. */
export const RUNNER_NAMES = ['process', 'notebook', 'container', 'slurm'] as const satisfies readonly Engine['runner'][];
export type RunnerName = Engine['runner'];

/** Whether an engine gives a network to jobs that ask for one. */
export const grantsOutbound = (engine: Engine): boolean => {
  switch (engine.runner) {
    case 'process':
    case 'notebook':
    case 'slurm':
      return false;
    case 'container':
      return engine.container.outbound !== undefined;
    default:
      return engine satisfies never;
  }
};
