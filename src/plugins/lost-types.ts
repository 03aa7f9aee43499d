import type { Engine } from '../runners/engine.ts';
import type { Plugins } from './load.ts';

/**
 * What other plug-ins no longer have and accepted jobs may need: an engine in use runs them, and a
 * type of storage takes their data back. Tasks and compute resources were read before the accept.
 *
 * @param engines in use
 */
export function lostTypes(
  before: Plugins,
  after: Plugins,
  engines: readonly Engine[],
): readonly string[] {
  const used = new Set(engines.map(({ runner }) => runner));
  const has = new Set(after.engineTypes.map(({ name }) => name));
  return [
    ...[...used].filter((name) => !has.has(name)).map((name) => `the runner ${name}`),
    ...[...before.storagePlugins.keys()]
      .filter((name) => !after.storagePlugins.has(name))
      .map((name) => `the type of storage ${name}`),
  ];
}
