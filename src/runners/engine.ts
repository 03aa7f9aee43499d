import type { ContainerSettings } from './container/settings.ts';
import type { KubernetesSettings } from './kubernetes/settings.ts';
import type { IsolationWish } from './process/start/isolation.ts';
import {
  DEFAULT_PROCESS_SETTINGS,
  type Device,
  type ProcessJobSettings,
} from './process/settings.ts';
import type { ForecastTerms, SlurmSettings } from './slurm/settings.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../tasks/least-memory.ts';
import type { Task } from '../tasks/task.ts';
import { mebibytes, type Mebibytes } from '../words/units.ts';

export type { ContainerDevice, ContainerSettings, EngineAddress } from './container/settings.ts';
export {
  CHART_KINDS,
  type ChartSettings,
  type KubernetesSettings,
  type Toleration,
} from './kubernetes/settings.ts';
export type { IsolationWish } from './process/start/isolation.ts';
export {
  DEFAULT_PROCESS_SETTINGS,
  type Device,
  type ProcessJobSettings,
} from './process/settings.ts';
export type {
  ForecastTerms,
  NodeContainers,
  SlurmShape,
  SlurmAccess,
  SlurmSettings,
} from './slurm/settings.ts';

/**
 * An execution engine with what a site says of it. `runner` names the adapter; a destination's key
 * of the same name holds its settings (docs/reference/site-file.md).
 */
export type Engine =
  | {
      readonly runner: 'process';
      readonly python: string | undefined;
      readonly process?: ProcessJobSettings;
    }
  /** `jupyter`: absolute path of a Python that has it; undefined: the built-in Python */
  | {
      readonly runner: 'notebook';
      readonly jupyter: string | undefined;
      readonly isolation?: IsolationWish;
    }
  | { readonly runner: 'slurm'; readonly slurm: SlurmSettings }
  | { readonly runner: 'kubernetes'; readonly kubernetes: KubernetesSettings }
  | { readonly runner: 'container'; readonly container: ContainerSettings };

/** Adapters, as the site file names them. */
export const RUNNER_NAMES = [
  'process',
  'notebook',
  'container',
  'slurm',
  'kubernetes',
] as const satisfies readonly Engine['runner'][];
export type RunnerName = Engine['runner'];

/** Whether an engine gives a network to jobs that ask for one. */
export function grantsOutbound(engine: Engine): boolean {
  switch (engine.runner) {
    case 'process':
    case 'notebook':
      return false;
    case 'slurm':
      return engine.slurm.container?.network !== undefined;
    case 'container':
      return engine.container.outbound !== undefined;
    case 'kubernetes':
      return engine.kubernetes.outbound;
    default:
      return engine satisfies never;
  }
}

/**
 * What the site must name for an engine to run tasks of a type, and does not;
 * undefined when nothing is missing.
 */
export function lackOf(engine: Engine, type: Task['type']): string | undefined {
  const needs = (key: string, value: unknown): string | undefined =>
    value === undefined ? key : undefined;
  switch (engine.runner) {
    case 'process':
      return type === 'python-program'
        ? needs('Python (runners.process.python)', engine.python)
        : undefined;
    case 'notebook':
      return undefined;
    case 'container':
      return type === 'executable' || type === 'python-program'
        ? needs(`image for ${type} (container.images)`, engine.container.images[type])
        : undefined;
    case 'slurm':
      if (type === 'python-program')
        return needs('Python on the nodes (slurm.python)', engine.slurm.python);
      if (type === 'jupyter-notebook')
        return needs('Jupyter on the nodes (slurm.jupyter)', engine.slurm.jupyter);
      return type === 'oci-container'
        ? needs('container engine on the nodes (slurm.container)', engine.slurm.container)
        : undefined;
    case 'kubernetes':
      if (type === 'helm-chart')
        return needs('charts (kubernetes.charts)', engine.kubernetes.charts);
      return type === 'executable' || type === 'python-program'
        ? needs(`image for ${type} (kubernetes.images)`, engine.kubernetes.images[type])
        : undefined;
    default:
      return engine satisfies never;
  }
}

/**
 * How much of a task's command line and environment an engine takes: bytes of one word or variable,
 * and of all; `sizeOf` counts them.
 */
export type TextLimit = {
  readonly word: number;
  readonly all: number;
  readonly sizeOf: (text: string) => number;
};

/**
 * Linux takes 128 KiB for one and 2 MiB for all; of both something is left to what an engine adds.
 */
const PROGRAM_TEXT: TextLimit = {
  word: 131_000,
  all: 2 ** 20,
  sizeOf: (text) => Buffer.byteLength(text),
};
/** etcd keeps objects of 1.5 MiB: JSON in which "$" is written twice. */
const OBJECT_TEXT: TextLimit = {
  ...PROGRAM_TEXT,
  sizeOf: (text) => Buffer.byteLength(JSON.stringify(text.replaceAll('$', '$$$$'))),
};

/** Undefined where a task has no command line: the built-in Python reads a file. */
export function textLimitOf(engine: Engine): TextLimit | undefined {
  if (engine.runner === 'notebook' && engine.jupyter === undefined) return undefined;
  return engine.runner === 'kubernetes' ? OBJECT_TEXT : PROGRAM_TEXT;
}

/**
 * The devices that a site names for the jobs of an engine, by the URI of their type; undefined when
 * the engine hands out its own, or none.
 */
export function devicesOf(engine: Engine): Readonly<Record<string, readonly Device[]>> | undefined {
  switch (engine.runner) {
    case 'process':
      return (engine.process ?? DEFAULT_PROCESS_SETTINGS).gpus;
    case 'container':
      return engine.container.gpus;
    case 'notebook':
    case 'slurm':
    case 'kubernetes':
      return undefined;
    default:
      return engine satisfies never;
  }
}

/**
 * What an engine is asked about its queue; undefined when the site wants no
 * forecasts, or the engine has none.
 */
export function forecastOf(engine: Engine): ForecastTerms | undefined {
  return engine.runner === 'slurm' ? engine.slurm.forecast : undefined;
}

/** Whether the engine itself keeps free what was accepted. */
export function isGuaranteed(engine: Engine): boolean {
  return engine.runner === 'slurm' && engine.slurm.guarantee === 'reservation';
}

/**
 * Below this the engine refuses a task of the type, because it needs as much
 * for itself; zero: it does not.
 */
export function leastMemoryOf(engine: Engine, type: Task['type']): Mebibytes {
  switch (engine.runner) {
    case 'notebook':
      // Programs have Jupyter's Python to themselves; the built-in one
      // is Node with Pyodide for both.
      return type === 'jupyter-notebook' || engine.jupyter === undefined
        ? NOTEBOOK_LEAST_MEMORY
        : mebibytes(0);
    case 'slurm':
      return type === 'jupyter-notebook' ? NOTEBOOK_LEAST_MEMORY : mebibytes(0);
    case 'process':
    case 'container':
    case 'kubernetes':
      return mebibytes(0);
    default:
      return engine satisfies never;
  }
}
