import type { Engine, EngineTypes } from '../../runners/engine.ts';
import { valueOf, type MapNode, type Node, type Reader } from '../../yaml/index.ts';
import { withWorkflows } from '../workflows.ts';
import { withEnvironments, type SiteEngineDefaults } from './environments.ts';

/** A destination with its `runner`, the engines that there are, and the folder of paths. */
export type EngineSurroundings = {
  readonly destination: MapNode;
  readonly runner: Node | undefined;
  readonly types: EngineTypes;
  readonly defaults: SiteEngineDefaults;
  /** the destination's key `environments` */
  readonly environments: Node | undefined;
  /** the destination's key `workflows` */
  readonly workflows: Node | undefined;
  readonly folder: string;
};

/**
 * Reads the engine of a destination: its `runner`, and the settings in the key of the same name.
 */
export function readEngine(
  reader: Reader,
  what: string,
  {
    destination,
    runner: node,
    types,
    defaults,
    environments,
    workflows,
    folder,
  }: EngineSurroundings,
): Engine | undefined {
  const runner = reader.expectOneOf(
    node,
    `${what}.runner`,
    types.map(({ name }) => name),
  );
  // Settings of other engines are read, too, so that all errors are reported.
  const engines = types.flatMap(({ name, read }) => {
    const own = valueOf(destination, name);
    if (runner !== undefined && own !== undefined && name !== runner)
      reader.problem(own, `${what}.${name} is for destinations with runner: ${name}`);
    if (own === undefined && name !== runner) return [];
    const at = { reader, node: own, destination, what: `${what}.${name}`, folder };
    return read(at, defaults) ?? [];
  });
  const own = engines.find((engine) => engine.runner === runner);
  const known = { all: defaults.environments, types };
  const withPythons = withEnvironments(reader, own, environments, `${what}.environments`, known);
  return withWorkflows(reader, withPythons, workflows, `${what}.workflows`, types);
}
