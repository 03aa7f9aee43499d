import { containerEngine } from './container/engine.ts';
import type { Engine } from './engine.ts';
import type { EngineDefinition } from './engine-definition.ts';
import type { EngineType } from './engine-type.ts';
import { kubernetesEngine } from './kubernetes/engine.ts';
import { liftedKind } from './lifted-kind.ts';
import { notebookEngine } from './notebook/engine.ts';
import { processEngine } from './process/engine.ts';
import { slurmEngine } from './slurm/engine.ts';

/**
 * The service's own engines, by the name of their runner. Nothing else in the source names them: an
 * engine is its folder and a line here.
 */
const TABLE = {
  process: processEngine,
  notebook: notebookEngine,
  container: containerEngine,
  slurm: slurmEngine,
  kubernetes: kubernetesEngine,
};

type Name = keyof typeof TABLE;
type SettingsOf<Definition> =
  Definition extends EngineDefinition<infer Settings> ? Settings : never;
type Settings = { readonly [One in Name]: SettingsOf<(typeof TABLE)[One]> };

/** An engine of the table. */
export type BuiltInEngine = { [One in Name]: { readonly runner: One } & Settings[One] }[Name];

/** The types of these engines, by name. */
export function builtInTypesOfEngines(): ReadonlyMap<string, EngineType> {
  return new Map(
    Object.keys(TABLE)
      .filter(isName)
      .map((name) => [name, typeOf(name)]),
  );
}

const DEFINITIONS: { readonly [One in Name]: EngineDefinition<Settings[One]> } = TABLE;

function typeOf<One extends Name>(name: One): EngineType {
  const { kind, read, open } = DEFINITIONS[name];
  const own = (engine: Engine): Settings[One] => {
    if (isOf(name, engine)) return engine;
    throw new Error(`${engine.runner} is no ${name}`);
  };
  return {
    name,
    kind: liftedKind(kind, own),
    read: (at, defaults) => {
      const settings = read(at, defaults);
      const engine = { runner: name, ...settings };
      return settings !== undefined && isEngine(engine) ? engine : undefined;
    },
    open: (engine, local) => open(own(engine), local),
  };
}

function isOf<One extends Name>(name: One, engine: Engine): engine is Engine & Settings[One] {
  return engine.runner === name;
}

function isEngine(value: { readonly runner: string }): value is BuiltInEngine {
  return isName(value.runner);
}

function isName(name: string): name is Name {
  return name in TABLE;
}
