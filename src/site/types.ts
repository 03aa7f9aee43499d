import { builtInComputeTypes, type ComputeTypes } from '../compute/registry.ts';
import { builtInEngines, type EngineTypes } from '../runners/engine.ts';
import { builtInTypes, type TaskTypes } from '../tasks/registry.ts';

/** The types that a site file can name: of tasks, of compute resources, of engines. */
export type SiteTypes = {
  readonly taskTypes: TaskTypes;
  readonly computeTypes: ComputeTypes;
  readonly engineTypes: EngineTypes;
};

/** Those of a service without plug-ins. */
export const builtInSiteTypes: SiteTypes = {
  taskTypes: builtInTypes,
  computeTypes: builtInComputeTypes,
  engineTypes: builtInEngines,
};
