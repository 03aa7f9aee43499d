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
export type StorageTypes = {
  readonly all: readonly StorageType[];
  readonly find: (uri: string) => StorageType | undefined;
};

/** The types by name and URI; the loader of plug-ins has checked that these are unique. */
export function storageTypesOf(all: readonly StorageType[]): StorageTypes {
  const byUri = new Map(
    all.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
  );
  return { all, find: (uri) => byUri.get(uri) };
}
