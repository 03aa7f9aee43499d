import type { Block, BlockFault } from '../compute/type.ts';

/**
 * A storage type that a plug-in adds, as the planner sees it: its names, and how
 * its item in an ask is checked.
 */
export type StorageType = {
  readonly name: string;
  readonly uri: string;
  readonly aliases: readonly string[];
  /** can a volume be mounted rw? */
  readonly isWritable: boolean;
  /** what is wrong with the item; `name`, `type` and `size` are not part of it */
  readonly faultsOf: (spec: Block) => readonly BlockFault[];
};

/** The storage types of plug-ins. */
export type StorageTypes = {
  readonly all: readonly StorageType[];
  readonly find: (uri: string) => StorageType | undefined;
};

/** Names and URIs are unique, which the loader of the plug-ins sees to. */
export function storageTypesOf(all: readonly StorageType[]): StorageTypes {
  const byUri = new Map(
    all.flatMap((type) => [type.uri, ...type.aliases].map((uri) => [uri, type] as const)),
  );
  return { all, find: (uri) => byUri.get(uri) };
}
