import { containerKind } from './container/kind.ts';
import type { ContainerSettings } from './container/settings.ts';
import type { EngineKind } from './engine-kind.ts';
import { kubernetesKind } from './kubernetes/kind.ts';
import type { KubernetesSettings } from './kubernetes/settings.ts';
import { notebookKind, type NotebookEngine } from './notebook/kind.ts';
import { processKind, type ProcessEngine } from './process/kind.ts';
import { slurmKind } from './slurm/kind.ts';
import type { SlurmSettings } from './slurm/settings.ts';

export type { ForecastTerms, TextLimit } from './engine-kind.ts';
export type { ContainerDevice, ContainerSettings, EngineAddress } from './container/settings.ts';
export {
  CHART_KINDS,
  type ChartSettings,
  type KubernetesSettings,
  type Toleration,
} from './kubernetes/settings.ts';
export type { NotebookEngine } from './notebook/kind.ts';
export {
  DEFAULT_PROCESS_SETTINGS,
  type Device,
  type IsolationWish,
  type ProcessJobSettings,
} from './process/settings.ts';
export type { NodeContainers, SlurmAccess, SlurmSettings } from './slurm/settings.ts';

/**
 * The engines that there are, each with what a site says of it. The name of a runner is also the
 * key of a destination that holds the settings (docs/reference/site-file.md).
 */
type Engines = {
  readonly process: ProcessEngine;
  readonly notebook: NotebookEngine;
  readonly container: { readonly container: ContainerSettings };
  readonly slurm: { readonly slurm: SlurmSettings };
  readonly kubernetes: { readonly kubernetes: KubernetesSettings };
};

/** Names of runners, as the site file writes them. Every table of engines has each of them. */
export const RUNNER_NAMES = ['process', 'notebook', 'container', 'slurm', 'kubernetes'] as const;
export type RunnerName = (typeof RUNNER_NAMES)[number];

/** An engine of one of these runners, with what a site says of it. */
type EngineOf<Name extends RunnerName> = {
  [One in Name]: { readonly runner: One } & Engines[One];
}[Name];
export type Engine = EngineOf<RunnerName>;

const KINDS: { readonly [Name in RunnerName]: EngineKind<EngineOf<Name>> } = {
  process: processKind,
  notebook: notebookKind,
  container: containerKind,
  slurm: slurmKind,
  kubernetes: kubernetesKind,
};

/** What is known of an engine without asking it. */
export function engineKindOf<Name extends RunnerName>(
  engine: EngineOf<Name>,
): EngineKind<EngineOf<Name>> {
  const name: Name = engine.runner;
  return KINDS[name];
}

/** Names of the runners of which something is true, for hints: `process, slurm and kubernetes`. */
export function runnersThat(is: (kind: EngineKind<never>) => boolean): string {
  const names = RUNNER_NAMES.filter((name) => is(KINDS[name]));
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
