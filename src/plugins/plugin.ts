import type { Block } from '../compute/type.ts';

/** A JSON object as a client wrote it. */
export type { Block };

/** What every plug-in of a type says: the names under which clients ask for it. */
type Named = {
  /** as site files and rule files know it: lower-case letters, digits and dashes */
  readonly name: string;
  /** canonical type URI */
  readonly type: string;
  readonly aliases?: readonly string[];
};

/**
 * A task type that a plug-in adds (2023 draft): its names, the JSON Schema (2020-12) of its `spec`,
 * and how that becomes something a runner executes.
 */
export type TaskPlugin = Named & {
  readonly schema: Block;
  /**
   * Turns a spec that the schema accepts into the type URI and spec of a built-in
   * task type. What it returns is read like a client's own words: it can grant
   * nothing that a client could not ask for.
   *
   * @throws Error whose message becomes a refusal that the client reads
   */
  readonly adapt: (spec: Block) => { readonly type: string; readonly spec: unknown };
  /** The part after `<name>/` of the TPV tool id; the plug-in's name when absent. */
  readonly toolName?: (spec: Block) => string;
};

/** A type of compute resource that a plug-in adds (2023 draft). */
export type ComputePlugin = Named & {
  /** of the block of its name in a compute item */
  readonly schema: Block;
  /** of what a site file says of a destination below `compute.<name>` */
  readonly attributes: Block;
  /**
   * Why a destination with these attributes is not what the block asks for; undefined when it
   * is. Both keep to their schemas.
   */
  readonly check: (block: Block, attributes: Block) => string | undefined;
};

/**
 * What a storage plug-in gets: the item as the client wrote it, and
 * the directory that is its volume.
 */
export type StorageTransfer = {
  readonly spec: Block;
  /** absolute */ readonly directory: string;
  /** bytes that are left of the scratch space */ readonly limit: number;
};

/**
 * A type of storage that a plug-in adds: data that is managed elsewhere. Its
 * functions run in the executor.
 */
export type StoragePlugin = Named & {
  /** of the storage item without `name`, `type` and `size` */
  readonly schema: Block;
  /**
   * Writes the data into the directory, before the run.
   * @throws Error whose message the job's owner reads
   */
  readonly load: (transfer: StorageTransfer) => Promise<void>;
  /**
   * Takes the data back after the run, for volumes that are mounted rw; without it they cannot be.
   */
  readonly save?: (transfer: StorageTransfer) => Promise<void>;
};

/** What a plug-in's folder gives: the default export of its `plugin.mjs`. */
export type Plugin = {
  readonly tasks?: readonly TaskPlugin[];
  readonly compute?: readonly ComputePlugin[];
  readonly storage?: readonly StoragePlugin[];
};
