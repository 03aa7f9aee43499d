import type { ContainerSettings } from './container/settings.ts';
import type { KubernetesSettings } from './kubernetes/settings.ts';
import type { ProcessTerms } from './process/terms.ts';
import type { ForecastTerms, SlurmSettings } from './slurm/settings.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../tasks/least-memory.ts';
import type { Task } from '../tasks/task.ts';
import { mebibytes, type Mebibytes } from '../words/units.ts';

export type { ContainerSettings, EngineAddress } from './container/settings.ts';
export { CHART_KINDS, type ChartSettings, type KubernetesSettings, type Toleration } from './kubernetes/settings.ts';
export { PROCESS_TERMS, type Device, type ProcessTerms } from './process/terms.ts';
export type { ForecastTerms, NodeContainers, Shape, SlurmAccess, SlurmSettings } from './slurm/settings.ts';

/**
 * An execution engine with what a site says of it. `runner` names the adapter; a destination's key of the same name holds
 * its settings (docs/site-file.md).
 */
export type Engine =
  | { readonly runner: 'process'; readonly python: string | undefined; readonly process?: ProcessTerms }
  /** `jupyter`: absolute path of a Python that has it; undefined: the built-in Python */
  | { readonly runner: 'notebook'; readonly jupyter: string | undefined }
  | { readonly runner: 'slurm'; readonly slurm: SlurmSettings }
  | { readonly runner: 'kubernetes'; readonly kubernetes: KubernetesSettings }
  | { readonly runner: 'container'; readonly container: ContainerSettings };

/** Adapters, as the site file names them. */
export const RUNNER_NAMES = ['process', 'notebook', 'container', 'slurm', 'kubernetes'] as const satisfies readonly Engine['runner'][];
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
    case 'kubernetes':
      return engine.kubernetes.outbound;
    default:
      return engine satisfies never;
  }
};

/** What an engine is asked about its queue; undefined when the site wants no forecasts, or the engine has none. */
export const forecastOf = (engine: Engine): ForecastTerms | undefined => (engine.runner === 'slurm' ? engine.slurm.forecast : undefined);

/** Whether the engine itself keeps free what was accepted. */
export const isGuaranteed = (engine: Engine): boolean => engine.runner === 'slurm' && engine.slurm.guarantee === 'reservation';

/** Below this the engine refuses a task of the type, because it needs as much for itself; zero: it does not. */
export const leastMemoryOf = (engine: Engine, type: Task['type']): Mebibytes => {
  switch (engine.runner) {
    case 'notebook':
      // Programs have Jupyter's Python to themselves; the built-in one is Node with Pyodide for both.
      return type === 'jupyter-notebook' || engine.jupyter === undefined ? NOTEBOOK_LEAST_MEMORY : mebibytes(0);
    case 'slurm':
      return type === 'jupyter-notebook' ? NOTEBOOK_LEAST_MEMORY : mebibytes(0);
    case 'process':
    case 'container':
    case 'kubernetes':
      return mebibytes(0);
    default:
      return engine satisfies never;
  }
};
