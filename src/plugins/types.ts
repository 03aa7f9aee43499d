import { builtInComputeTypes, type ComputeTypes } from '../compute/registry.ts';
import type { StorageTypes } from '../storage/registry.ts';
import { builtInEngines, type EngineTypes } from '../runners/engine.ts';
import { namedTypes } from '../words/named-types.ts';
import { builtInTypes, type TaskTypes } from '../tasks/registry.ts';

/** The types that a service knows: built-in ones and those of plug-ins. */
export type KnownTypes = {
  readonly engineTypes: EngineTypes;
  readonly taskTypes: TaskTypes;
  readonly computeTypes: ComputeTypes;
  readonly storageTypes: StorageTypes;
};

/** A service without plug-ins. */
export const builtInKnown: KnownTypes = {
  engineTypes: builtInEngines,
  taskTypes: builtInTypes,
  computeTypes: builtInComputeTypes,
  storageTypes: namedTypes([]),
};
