import type { NamedTypes } from '../words/named-types.ts';
import type { Block, BlockFault } from '../compute/type.ts';

/** A plug-in's storage type for the planner: its names, and how to check its item in an ask. */
export type StorageType = {
  readonly name: string;
  readonly uri: string;
  readonly aliases: readonly string[];
  /** may a volume be mounted rw? */
  readonly isWritable: boolean;
  /** faults of the item without `name`, `type` and `size` */
  readonly faultsOf: (spec: Block) => readonly BlockFault[];
};

/** The storage types of plug-ins. */
export type StorageTypes = NamedTypes<StorageType>;
