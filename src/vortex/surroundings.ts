import type { Modules, Transcript, Value } from '../python/index.ts';

/** What a decision takes from outside. The same surroundings give the same decision. */
export type Surroundings = {
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds since 1970-01-01T00:00Z. */
  readonly now: () => number;
  /** Modules that `import` finds before all others: data of an embedder for its rules. */
  readonly modules?: Modules;
  /** Attributes of the object `app` besides its admins. */
  readonly app?: ReadonlyMap<string, Value>;
  /** Let state leak from a failed destination into the next, as TPV does. Only for `map`. */
  readonly strict?: boolean;
  /** False leaves out the trace, which takes time and is long. The default is true. */
  readonly explain?: boolean;
  /** Keeps what rules print and log, and TPV's own log; without it both are dropped. */
  readonly transcript?: Transcript;
};
