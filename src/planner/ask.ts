import type { Architecture } from '../compute/arch.ts';
import type { ComputePlatform } from '../compute/type.ts';
import type { ExternalSource } from '../storage/content.ts';
import type { PluginTask, Task } from '../tasks/task.ts';
import type { Gpus } from '../schedule/amount.ts';
import type { Instant, StartRange } from '../schedule/interval.ts';
import type { NonEmpty, ObjectId } from '../words/ids.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';

/** The client's bounds of an amount; undefined: no bound. */
export type Bounds<Unit> = { readonly min: Unit | undefined; readonly max: Unit | undefined };

/** Where the storage item of the same name appears inside the job. */
export type VolumeMount = {
  readonly name: string;
  readonly path: string;
  readonly mode: 'r' | 'rw';
};

/** A compute item (draft 2023, level 2a): `replicas` equal machines, and what each of them needs. */
export type ComputePart = {
  readonly name: string | undefined;
  readonly replicas: number;
  readonly platform: ComputePlatform | undefined;
  readonly arch: Architecture | undefined;
  readonly cores: Bounds<Millicores>;
  readonly memory: Bounds<Mebibytes>;
  readonly gpus: Gpus | undefined;
  readonly volumes: readonly VolumeMount[];
};

/** A storage item that the platform makes for the job's life (draft 2023, level 2b). */
export type EphemeralStorage = {
  readonly kind: 'ephemeral';
  readonly name: string;
  readonly size: Mebibytes;
};

/** Where storage is, in the words of an earlier offer. */
export type SaidPlace = { readonly type: string; readonly endpoint: string | undefined };

/** Storage that the platform makes before the job and keeps after it. */
export type PersistentStorage = {
  readonly kind: 'persistent';
  readonly name: string;
  readonly size: Mebibytes;
  /** how long it is kept after the offered run */
  readonly lifetime: Seconds;
  /** its future name */
  readonly object: ObjectId;
  /** the only place that will do; undefined: any store of the site */
  readonly place?: SaidPlace;
  /** its place among the storage items of the ask */
  readonly item: number;
};

/** An object in the book. */
type FoundObject = {
  readonly backend: string;
  readonly size: Mebibytes;
  /** the end of its lifetime */
  readonly endsAt: Instant;
};

/** Storage that an earlier job left. */
export type KeptStorage = {
  readonly kind: 'kept';
  readonly name: string;
  readonly object: ObjectId;
  /** undefined before the search, and if the client has no such object */
  readonly found: FoundObject | undefined;
  /** what an earlier offer printed of it, if the ask repeats that */
  readonly said?: { readonly place: SaidPlace; readonly size: Mebibytes | undefined };
  /** what to make if there is no such object, because the offer that named it was not accepted */
  readonly otherwise?: PersistentStorage;
  /** its place among the storage items of the ask */
  readonly item: number;
};

/** Data that others manage. */
export type ExternalStorage = {
  readonly kind: 'external';
  readonly name: string;
  /** undefined: the client does not say */
  readonly size: Mebibytes | undefined;
  readonly source: ExternalSource;
  /** may a volume be mounted rw? */
  readonly isWritable: boolean;
  /** the item as the client wrote it; an offer repeats it */
  readonly asked: { readonly type: string } & Readonly<Record<string, unknown>>;
};

export type AskStorage = EphemeralStorage | PersistentStorage | KeptStorage | ExternalStorage;

/** A time at which the task may run. The windows of an ask are alternatives. */
export type AskWindow = {
  /** `now`: at once or not at all; else when the run may begin, by the database's clock */
  readonly start: 'now' | StartRange;
  /** how long the run may last */
  readonly duration: Bounds<Seconds>;
};

/** The most that the client pays of one cost. Its place counts the costs of the document, from 0. */
export type CostCap = {
  /** URI of what is counted: a currency, credits, energy, CO2 */
  readonly type: string;
  /** 0 or more, in the unit of the type: no offer costs more; undefined: no limit */
  readonly max: number | undefined;
};

/** A question to the planner, understood: a task and the resources that it needs. */
export type Ask = {
  readonly taskType: string;
  readonly task: Task;
  /** what the client asked for, if a plug-in made the task from it */
  readonly plugin: PluginTask | undefined;
  readonly parts: NonEmpty<ComputePart>;
  /** of the whole task: the sums over all parts and their replicas */
  readonly cores: Bounds<Millicores>;
  readonly memory: Bounds<Mebibytes>;
  readonly gpus: Gpus | undefined;
  readonly storage: readonly AskStorage[];
  readonly windows: NonEmpty<AskWindow>;
  /** an offer keeps to all of them */
  readonly costs: readonly CostCap[];
  /** does it name the size of a storage item? Otherwise the site decides the scratch space */
  readonly namesScratch: boolean;
};
