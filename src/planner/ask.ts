import type { Task } from '../tasks/task.ts';
import type { Gpus } from '../schedule/amount.ts';
import type { Mebibytes, Millicores } from '../words/units.ts';

/** A size that the client bounds; undefined means that it asks for nothing in particular. */
export type Bounds<Unit> = { readonly min: Unit | undefined; readonly max: Unit | undefined };

/** A storage item that the platform makes for the job's life (draft 2023, level 2b). */
export type EphemeralStorage = { readonly name: string; readonly size: Mebibytes };

/** Where a storage item appears inside the job; joined to it by equal name. */
export type VolumeMount = { readonly name: string; readonly path: string; readonly mode: 'r' | 'rw' };

/** Where in the document each requirement stands, so that a refusal can name its path. */
export type AskPaths = { readonly cores: string; readonly memory: string; readonly scratch: string; readonly gpus: string; readonly volumes: string };

/** One question to the planner, understood: task and the resources it needs. Who asks and when are given beside it. */
export type Ask = {
  readonly taskType: string;
  readonly task: Task;
  /** name of the compute item, echoed in the offer */
  readonly name: string | undefined;
  readonly cores: Bounds<Millicores>;
  readonly memory: Bounds<Mebibytes>;
  readonly gpus: Gpus | undefined;
  readonly volumes: readonly VolumeMount[];
  readonly storage: readonly EphemeralStorage[];
  readonly paths: AskPaths;
};
