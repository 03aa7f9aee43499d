import type { Architecture } from '../compute/arch.ts';
import type { Platforms } from '../compute/type.ts';
import type { PythonEnvironment } from '../environments/environment.ts';
import type { Engine } from '../runners/engine.ts';
import type { Capacity } from '../schedule/amount.ts';
import type { Seconds } from '../words/units.ts';
import type { Maintenance } from './maintenance.ts';
import type { Tariff } from './read/costs.ts';
import type { ResultPool, ResultTerms } from './results.ts';
import type { Sizes } from './sizes.ts';

/** Limits and durations of offers and jobs. */
export type OfferTerms = {
  /** how long an offer is held */
  readonly lifetime: Seconds;
  /** the most offers in one answer */
  readonly most: number;
  /** longest run if the client asks for none */
  readonly duration: Seconds;
  /** longest run that a client may ask for */
  readonly longest: Seconds;
  /** how far ahead a run may start */
  readonly horizon: Seconds;
  /** how long a client that starts the job itself may wait after accepting */
  readonly startWindow: Seconds;
  /** reserved before the start, unless the destination says otherwise */
  readonly prepare: Seconds;
  /** reserved after the run for tear-down, unless the destination says otherwise */
  readonly release: Seconds;
  /** how long a job may wait in the queue before it fails */
  readonly queueLimit: Seconds;
  /** how long results are kept after the offered end of the run */
  readonly keepResults: Seconds;
};

/**
 * What holds the rules, and their limits for one decision: `EnclosureWish` and `Jit` of
 * src/sandbox.
 */
export type SandboxTerms = {
  readonly isolation: 'required' | 'preferred' | 'none';
  readonly jit: 'always' | 'enclosed' | 'never';
  readonly decisionMs: number;
  readonly memoryMb: number;
};

export type SiteDestination = {
  readonly id: string;
  /** a line for people; undefined: none */
  readonly description: string | undefined;
  readonly capacity: Capacity;
  readonly sizes: Sizes;
  /**
   * times at which it, or a part of it, is not available; includes the calendar's once that is read
   */
  readonly maintenance: readonly Maintenance[];
  /** absolute path of an iCalendar file with more of them */
  readonly calendar: string | undefined;
  /** reserved before the start: nothing starts earlier than this from now */
  readonly prepare: Seconds;
  /** reserved after the run for tear-down */
  readonly release: Seconds;
  /** names of task types, including those of plug-ins */
  readonly taskTypes: ReadonlySet<string>;
  readonly engine: Engine;
  /** whether it starts parallel jobs */
  readonly isParallel: boolean;
  /** undefined: the site does not say */
  readonly arch: Architecture | undefined;
  /** its types of compute resource */
  readonly platforms: Platforms;
  /** its own settings for results; undefined: the site's */
  readonly ownResults: ResultTerms | undefined;
  /** the pool of its results; undefined: none */
  readonly results: ResultPool | undefined;
  /** what its jobs cost, one for each type; empty: the file does not say */
  readonly costs: readonly Tariff[];
  /**
   * the interpreters of its tasks in Python with what they have, best first; undefined: nobody has
   * asked them
   */
  readonly environments: readonly PythonEnvironment[] | undefined;
};
