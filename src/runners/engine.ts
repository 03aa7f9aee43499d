import type { Block } from '../compute/type.ts';
import type { EnvironmentTerms } from '../environments/environment.ts';
import type { WorkflowTerms } from '../workflows/terms.ts';
import { builtInTypesOfEngines, type BuiltInEngine } from './built-in.ts';
import type { EngineKind } from './engine-kind.ts';
import type { EngineType, EngineTypes } from './engine-type.ts';

export type { EngineDefaults } from './engine-definition.ts';
export { runnersThat, type EngineType, type EngineTypes } from './engine-type.ts';
export { DESTINATION_KEYS } from './reading/destination-keys.ts';
export { missingDevices, readPaths } from './reading/devices.ts';
export { readPython } from './process/read.ts';
export type { ForecastTerms, TextLimit } from './engine-kind.ts';

/** An engine of a plug-in's type. */
export type PluggedEngine = {
  readonly runner: string;
  readonly type: EngineType;
  readonly settings: Block;
};

/** The interpreters that a destination names, best first; only some engines take them. */
type NamedEnvironments = { readonly environments?: readonly EnvironmentTerms[] };

/** The interpreters of workflows that a destination names; only some engines take them. */
type NamedWorkflows = { readonly workflows?: WorkflowTerms };

/** An engine of a site: the name of its runner, with what the site says of it. */
export type Engine = (BuiltInEngine | PluggedEngine) & NamedEnvironments & NamedWorkflows;

const BUILT_IN = builtInTypesOfEngines();

/** The types of the service's own engines. */
export const builtInEngines: EngineTypes = [...BUILT_IN.values()];

/** The type of an engine. */
export function typeOfEngine(engine: Engine): EngineType {
  const type = 'type' in engine ? engine.type : BUILT_IN.get(engine.runner);
  if (type === undefined) throw new Error(`there is no engine ${engine.runner}`);
  return type;
}

/** What is known of an engine without asking it. */
export function engineKindOf(engine: Engine): EngineKind<Engine> {
  return typeOfEngine(engine).kind;
}
