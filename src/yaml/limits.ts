/** The most that a document may cost. */
export type YamlLimits = {
  /** Longest text, in UTF-16 units. */
  readonly length: number;
  /** Deepest nesting. */
  readonly depth: number;
  /** Most aliases (`*name`). */
  readonly aliases: number;
  /** Most nodes; an alias counts as all nodes that it stands for. */
  readonly nodes: number;
};

/** The largest rule file seen in production has 0.5 M characters and 30,000 nodes. */
export const LIMITS: YamlLimits = { length: 4_000_000, depth: 60, aliases: 1_000, nodes: 400_000 };
