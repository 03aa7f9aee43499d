import { RUNNER_NAMES, type Engine } from '../../runners/engine.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readContainer } from '../engines/container.ts';
import { readKubernetes } from '../engines/kubernetes.ts';
import { readNotebookEngine } from '../engines/notebook.ts';
import { readProcess } from '../engines/process.ts';
import { readSlurm } from '../engines/slurm.ts';

/** What the site says of all engines of one kind (`runners:`). */
export type EngineDefaults = { readonly python: string | undefined };

/** Keys of a destination that hold the settings of its engine: one for each runner that has any. */
export const ENGINE_KEYS = ['process', 'notebook', 'container', 'slurm', 'kubernetes'] as const;

/**
 * What a destination says of its engine: its node, the keys of {@link ENGINE_KEYS} that
 * it has, and the folder of paths.
 */
export type EngineNodes = {
  readonly destination: Node;
  readonly settings: Partial<Record<(typeof ENGINE_KEYS)[number], Node>>;
  readonly folder: string;
};

/**
 * The engine of a destination: its `runner`, and the settings that the key of the same name holds.
 */
export function readEngine(
  reader: Reader,
  node: Node | undefined,
  what: string,
  { python }: EngineDefaults,
  { destination, settings, folder }: EngineNodes,
): Engine | undefined {
  const runner = node && reader.expectOneOf(node, `${what}.runner`, RUNNER_NAMES);
  for (const key of ENGINE_KEYS) {
    const other = settings[key];
    if (runner !== undefined && other !== undefined && key !== runner)
      reader.problem(other, `${what}.${key} is for destinations with runner: ${key}`);
  }
  // Settings of another engine are read too, so that everything that is wrong is told.
  const process = readProcess(reader, settings.process, `${what}.process`);
  const notebook = readNotebookEngine(reader, settings.notebook, `${what}.notebook`);
  const container =
    runner === 'container' || settings.container
      ? readContainer(reader, settings.container, destination, `${what}.container`, folder)
      : undefined;
  const slurm =
    runner === 'slurm' || settings.slurm
      ? readSlurm(reader, settings.slurm, destination, `${what}.slurm`, folder)
      : undefined;
  const kubernetes =
    runner === 'kubernetes' || settings.kubernetes
      ? readKubernetes(reader, settings.kubernetes, destination, `${what}.kubernetes`, folder)
      : undefined;
  switch (runner) {
    case undefined:
      return undefined;
    case 'process':
      return { runner, python, ...(process && { process }) };
    case 'notebook':
      return { runner, ...notebook };
    case 'container':
      return container && { runner, container };
    case 'slurm':
      return slurm && { runner, slurm };
    case 'kubernetes':
      return kubernetes && { runner, kubernetes };
    default:
      return runner satisfies never;
  }
}
