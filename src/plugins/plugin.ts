import type { Block } from '../compute/type.ts';
import type { Runner } from '../runners/port.ts';
import type { Device } from '../runners/process/settings.ts';
import type { RunnerTools } from '../runners/tools/tools.ts';
import type { Task } from '../tasks/task.ts';

/** A JSON object as a client wrote it. */
export type { Block };

/** The names of a type in asks. */
type Named = {
  /** name in site files and rule files: lower-case letters, digits and dashes */
  readonly name: string;
  /** canonical type URI */
  readonly type: string;
  readonly aliases?: readonly string[];
};

/**
 * A task type of a plug-in (2023 draft): its names, the JSON Schema (2020-12) of its `spec`, and
 * how to turn a spec into one that a runner executes.
 */
export type TaskPlugin = Named & {
  /** for people; by default its name */
  readonly title?: string;
  readonly schema: Block;
  /** a spec that runs here, for pages that show one */
  readonly example?: Block;
  /**
   * Turns a spec that the schema accepts into the type URI and spec of a built-in task type. The
   * result is read like a client's own ask, so it grants nothing that a client could not ask for.
   *
   * @throws Error with a message that the client reads as a refusal
   */
  readonly adapt: (spec: Block) => { readonly type: string; readonly spec: unknown };
  /** The part after `<name>/` of the TPV tool id; by default the plug-in's name. */
  readonly toolName?: (spec: Block) => string;
};

/** A type of compute resource of a plug-in (2023 draft). */
export type ComputePlugin = Named & {
  /** schema of its block in a compute item */
  readonly schema: Block;
  /** schema of a destination's attributes below `compute.<name>` */
  readonly attributes: Block;
  /**
   * Why a destination with these attributes does not match the block; undefined if it does. Both
   * are valid by their schemas.
   */
  readonly check: (block: Block, attributes: Block) => string | undefined;
};

/** The input of a storage plug-in: the client's item, and the directory of its volume. */
export type StorageTransfer = {
  readonly spec: Block;
  /** absolute */ readonly directory: string;
  /** free bytes of the scratch space */ readonly limit: number;
  /** aborted when the job is stopped before its run, and nobody waits for `load` any more */
  readonly signal?: AbortSignal | undefined;
};

/** A storage type of a plug-in for external data. Its functions run in the executor. */
export type StoragePlugin = Named & {
  /** schema of the storage item without `name`, `type` and `size` */
  readonly schema: Block;
  /**
   * Writes the data into the directory before the run.
   * @throws Error with a message that the job's owner reads
   */
  readonly load: (transfer: StorageTransfer) => Promise<void>;
  /**
   * Stores the data after the run, for volumes that are mounted rw; without it they can only be
   * mounted r.
   */
  readonly save?: (transfer: StorageTransfer) => Promise<void>;
};

/** A setting that an engine needs for a task type. */
export type RunnerLack = {
  /** its key below the engine's */
  readonly key: string;
  /** for the site's administrator: what belongs there */
  readonly hint: string;
};

/** Parallel jobs: one allocation, in which a command starts once. */
export type ParallelPlugin = {
  /** the tasks that it starts so, among those that it runs */
  readonly types: readonly ('executable' | 'oci-container')[];
  /** for clients: why it starts no others so, as a sentence */
  readonly otherwise?: string;
  /** whether all machines of such a job have the same amounts; true when absent */
  readonly isUniform?: boolean;
};

/** An engine of a plug-in: how a site's destinations name it, and how it runs jobs. */
export type RunnerPlugin<Settings extends Block = Block> = {
  /** value of `runner` and key of the settings in the site file */
  readonly name: string;
  /** JSON Schema (2020-12) of the settings */
  readonly settings: Block;
  /** names of the built-in task types that it runs */
  readonly executes: readonly Task['type'][];
  /** whether a job gets the devices that it was promised, and no others; false when absent */
  readonly handsOutGpus?: boolean;
  /**
   * keys of the settings that name an interpreter of Python; a destination may name `environments`
   * instead. Absent: it may not
   */
  readonly interpreters?: readonly string[];
  /** who can ask it for a job: executors of the host that began it, or all that share the directory */
  readonly reach: Runner['reach'];
  /**
   * Its jobs of several machines that start once; absent: none. A batch system says how it finds
   * its nodes
   */
  readonly parallel?: ParallelPlugin;
  /** What the settings lack for a task type that it runs. */
  lackOf?(settings: Settings, type: Task['type']): RunnerLack | undefined;
  /** The devices that the settings name, by the URI of their type; a site promises no others. */
  devicesOf?(settings: Settings): Readonly<Record<string, readonly Device[]>>;
  /** Whether jobs that ask for a network get one; absent: they do not. */
  grantsOutbound?(settings: Settings): boolean;
  /** Whether the `advance` of its runner keeps free what was accepted; absent: it does not. */
  isGuaranteed?(settings: Settings): boolean;
  /**
   * Makes its runner: with the tools, or its own.
   * @throws Error that says what to change when it cannot work on this machine
   */
  open(settings: Settings, tools: RunnerTools): Runner | Promise<Runner>;
  /**
   * Checks that the engine answers; `planner check` and the service ask it.
   * @throws Error when it does not
   */
  check?(settings: Settings, tools: RunnerTools): Promise<unknown>;
};

/** The default export of a plug-in's `plugin.mjs`. */
export type Plugin = {
  readonly tasks?: readonly TaskPlugin[];
  readonly compute?: readonly ComputePlugin[];
  readonly storage?: readonly StoragePlugin[];
  readonly runners?: readonly RunnerPlugin[];
};
