import type { Block } from '../compute/type.ts';

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

/** The default export of a plug-in's `plugin.mjs`. */
export type Plugin = {
  readonly tasks?: readonly TaskPlugin[];
  readonly compute?: readonly ComputePlugin[];
  readonly storage?: readonly StoragePlugin[];
};
