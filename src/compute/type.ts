/** A JSON object as a client or an administrator wrote it. */
export type Block = Readonly<Record<string, unknown>>;

/** A fault of a block; `key` is its place in the block, empty for all of it. */
export type BlockFault = { readonly key: string; readonly text: string };

/** Why a destination does not match an ask. */
type Mismatch = { readonly text: string; readonly asked?: string; readonly limit?: string };

/**
 * A type of compute resource (2023 draft): its names, its block in asks, and its attributes of
 * destinations in site files.
 */
export type ComputeType = {
  /** key of its block in asks, and of its attributes below `compute` of a destination */
  readonly name: string;
  /** canonical URI */
  readonly uri: string;
  /** URIs of other drafts that mean the same type */
  readonly aliases: readonly string[];
  /** every destination has this type, whatever its site file says */
  readonly everywhere: boolean;
  /** faults of an ask's block; a missing block is empty */
  readonly faultsOfBlock: (block: Block) => readonly BlockFault[];
  /** faults of a destination's attributes */
  readonly faultsOfAttributes: (attributes: Block) => readonly BlockFault[];
  /** undefined: the attributes match the block; both have no faults */
  readonly mismatch: (block: Block, attributes: Block) => Mismatch | undefined;
};

/** The type of compute resource of an ask. */
export type ComputePlatform = {
  /** as the client wrote it */ readonly uri: string;
  readonly name: string;
  readonly block: Block;
};

/** The types of a destination by name, each with the destination's attributes. */
export type Platforms = ReadonlyMap<
  string,
  { readonly type: ComputeType; readonly attributes: Block }
>;
