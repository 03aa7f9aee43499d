import { RUNNER_NAMES, type Engine, type RunnerName } from '../../runners/engine.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readContainer } from '../engines/container.ts';
import { readKubernetes } from '../engines/kubernetes.ts';
import { readNotebookEngine } from '../engines/notebook.ts';
import { readProcess } from '../engines/process.ts';
import { readSlurm } from '../engines/slurm.ts';
import type { EngineNode } from '../engines/values.ts';

/** Settings for all engines of one kind (`runners:`). */
export type EngineDefaults = { readonly python: string | undefined };

/** Keys of a destination that hold the settings of its engine: one for each runner. */
export const ENGINE_KEYS = RUNNER_NAMES;

/**
 * A destination's settings for its engine: its node, the keys of {@link ENGINE_KEYS} that it has,
 * and the folder of paths.
 */
type EngineNodes = {
  readonly destination: Node;
  readonly settings: { readonly [Name in RunnerName]?: Node };
  readonly folder: string;
};

/** A reader for the engine of each runner; it returns undefined if something is wrong. */
const READERS: Readonly<
  Record<RunnerName, (at: EngineNode, defaults: EngineDefaults) => Engine | undefined>
> = {
  process: (at, { python }) => {
    const process = readProcess(at);
    return { runner: 'process', python, ...(process && { process }) };
  },
  notebook: (at) => ({ runner: 'notebook', ...readNotebookEngine(at) }),
  container: (at) => {
    const container = readContainer(at);
    return container && { runner: 'container', container };
  },
  slurm: (at) => {
    const slurm = readSlurm(at);
    return slurm && { runner: 'slurm', slurm };
  },
  kubernetes: (at) => {
    const kubernetes = readKubernetes(at);
    return kubernetes && { runner: 'kubernetes', kubernetes };
  },
};

/**
 * Reads the engine of a destination: its `runner`, and the settings in the key of the same name.
 */
export function readEngine(
  reader: Reader,
  node: Node | undefined,
  what: string,
  defaults: EngineDefaults,
  { destination, settings, folder }: EngineNodes,
): Engine | undefined {
  const runner = reader.expectOneOf(node, `${what}.runner`, RUNNER_NAMES);
  // Settings of other engines are read, too, so that all errors are reported.
  const engines = RUNNER_NAMES.flatMap((name) => {
    const own = settings[name];
    if (runner !== undefined && own !== undefined && name !== runner)
      reader.problem(own, `${what}.${name} is for destinations with runner: ${name}`);
    if (own === undefined && name !== runner) return [];
    const at = { reader, node: own, destination, what: `${what}.${name}`, folder };
    return READERS[name](at, defaults) ?? [];
  });
  return engines.find((engine) => engine.runner === runner);
}
