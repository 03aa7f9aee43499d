/** A JSON object as a client or an administrator wrote it. */
export type Block = Readonly<Record<string, unknown>>;

/** One thing that is wrong with a block; `key` is its place in it, empty for the whole. */
export type BlockFault = { readonly key: string; readonly text: string };

/** Why a destination is not what was asked for. */
export type Mismatch = { readonly text: string; readonly asked?: string; readonly limit?: string };

/**
 * A type of compute resource (2023 draft): its names, what an ask may say of it in a block of its
 * name, and what a site file says of a destination that is one.
 */
export type ComputeType = {
  /** key of its block in asks, and below `compute` of a destination in site files */
  readonly name: string;
  /** canonical URI */
  readonly uri: string;
  /** URIs of other drafts that mean the same type */
  readonly aliases: readonly string[];
  /** every destination is one, whatever its site file says */
  readonly everywhere: boolean;
  /** what is wrong with the block of an ask; it is never undefined, a missing one is empty */
  readonly faultsOfBlock: (block: Block) => readonly BlockFault[];
  /** what is wrong with the attributes of a destination */
  readonly faultsOfAttributes: (attributes: Block) => readonly BlockFault[];
  /**
   * undefined: a destination with these attributes is what the block asks for.
   * Both were found without fault.
   */
  readonly mismatch: (block: Block, attributes: Block) => Mismatch | undefined;
};

/** How an ask names its type of compute resource. */
export type ComputePlatform = {
  /** as the client wrote it */ readonly uri: string;
  readonly name: string;
  readonly block: Block;
};

/**
 * What a destination is: for each of its types, why it does not meet the
 * block of an ask, or undefined.
 */
export type Platforms = ReadonlyMap<string, (block: Block) => Mismatch | undefined>;
