/** The types of plug-ins: `execution-planner/plugin`. It has no code, so a plug-in needs nothing. */
export type {
  Block,
  ComputePlugin,
  Plugin,
  RunnerLack,
  RunnerPlugin,
  StoragePlugin,
  StorageTransfer,
  TaskPlugin,
} from './plugin.ts';
export type { Device } from '../runners/process/settings.ts';
export type { BatchTerms, LocalTerms, RunnerTools, ToolCall } from '../runners/tools/tools.ts';
export type {
  BatchAmount,
  BatchJob,
  BatchPhase,
  BatchRequest,
  BatchSystem,
} from '../runners/batch/system.ts';
export type { Limits, Observation, Outcome, Runner, Usage, Workload } from '../runners/port.ts';
