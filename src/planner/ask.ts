import type { Architecture } from '../compute/arch.ts';
import type { ComputePlatform } from '../compute/type.ts';
import type { ExternalSource } from '../storage/content.ts';
import type { PluginTask, Task } from '../tasks/task.ts';
import type { Gpus } from '../schedule/amount.ts';
import type { Instant, StartRange } from '../schedule/interval.ts';
import type { NonEmpty, ObjectId } from '../words/ids.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';

/** A size that the client bounds; undefined means that it asks for nothing in particular. */
export type Bounds<Unit> = { readonly min: Unit | undefined; readonly max: Unit | undefined };

/** Where a storage item appears inside the job; joined to it by equal name. */
export type VolumeMount = {
  readonly name: string;
  readonly path: string;
  readonly mode: 'r' | 'rw';
};

/** A compute item (draft 2023, level 2a): so many machines alike, with what each of them needs. */
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

/** Where an offer said that storage is, in the words in which it was printed. */
export type SaidPlace = { readonly type: string; readonly endpoint: string | undefined };

/** One that the platform makes before the job and keeps after it. */
export type PersistentStorage = {
  readonly kind: 'persistent';
  readonly name: string;
  readonly size: Mebibytes;
  /** kept so long after the offered run */
  readonly lifetime: Seconds;
  /** what it will be called */
  readonly object: ObjectId;
  /** nowhere else; undefined: wherever the site keeps such */
  readonly place?: SaidPlace;
  /** its place among the storage items of the ask */
  readonly item: number;
};

/** What the book has of an object. */
export type FoundObject = {
  readonly backend: string;
  readonly size: Mebibytes;
  /** it is kept until then */ readonly endsAt: Instant;
};

/**
 * One that an earlier job left; undefined until it was looked for, and when the
 * asking identity has no such object.
 */
export type KeptStorage = {
  readonly kind: 'kept';
  readonly name: string;
  readonly object: ObjectId;
  readonly found: FoundObject | undefined;
  /** what an offer printed of it, where it was asked for so */
  readonly said?: { readonly place: SaidPlace; readonly size: Mebibytes | undefined };
  /**
   * what is meant where there is no such object: the offer that named it was not accepted,
   * and a volume like that is wanted
   */
  readonly otherwise?: PersistentStorage;
  /** its place among the storage items of the ask */
  readonly item: number;
};

/** Data that is managed elsewhere. */
export type ExternalStorage = {
  readonly kind: 'external';
  readonly name: string;
  /** undefined when the client does not say */
  readonly size: Mebibytes | undefined;
  readonly source: ExternalSource;
  /** can a volume be mounted rw? */
  readonly isWritable: boolean;
  /** the item as the client wrote it, for the offer to repeat */
  readonly asked: { readonly type: string } & Readonly<Record<string, unknown>>;
};

export type AskStorage = EphemeralStorage | PersistentStorage | KeptStorage | ExternalStorage;

/**
 * One time at which the task may run; those of an ask are alternatives, and an offer
 * has one slot within one of them.
 */
export type AskWindow = {
  /**
   * `now`: at once or not at all; otherwise the instants at which the run may
   * begin, by the database's clock
   */
  readonly start: 'now' | StartRange;
  /** how long the run may last */
  readonly duration: Bounds<Seconds>;
};

/**
 * One question to the planner, understood: task and the resources it
 * needs. Who asks is given beside it.
 */
export type Ask = {
  readonly taskType: string;
  readonly task: Task;
  /** how it was asked for, when a plug-in made the task of it */
  readonly plugin: PluginTask | undefined;
  readonly parts: NonEmpty<ComputePart>;
  /** of the whole task: the sums over all parts and their replicas */
  readonly cores: Bounds<Millicores>;
  readonly memory: Bounds<Mebibytes>;
  readonly gpus: Gpus | undefined;
  readonly storage: readonly AskStorage[];
  readonly windows: NonEmpty<AskWindow>;
  /**
   * does it name the size of any storage item? Else the site says how much scratch space it gets
   */
  readonly namesScratch: boolean;
};
