import type { Modules, Transcript, Value } from '../python/index.ts';

/**
 * What a decision takes from outside, so that the same surroundings give the same decision again.
 */
export type Surroundings = {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly now: () => number;
  /**
   * Stand-ins that `import` finds before all others: how an embedder gives rules data of its own.
   */
  readonly modules?: Modules;
  /** Further attributes of the object `app`, which by itself has only its admins. */
  readonly app?: ReadonlyMap<string, Value>;
  /**
   * Let state leak from a failed destination into the next, as TPV does. Only `map` can be strict.
   */
  readonly strict?: boolean;
  /** False leaves the trace out, which costs time and is long; true unless told. */
  readonly explain?: boolean;
  /**
   * Keeps what rules print and log, and what TPV logs of a mapping; without it all of that is lost.
   */
  readonly transcript?: Transcript;
};
