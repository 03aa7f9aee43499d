import type { Architecture } from '../compute/arch.ts';
import type { Platforms } from '../compute/type.ts';
import type { Engine } from '../runners/engine.ts';
import type { Capacity } from '../schedule/amount.ts';
import type { Seconds } from '../words/units.ts';
import type { Maintenance } from './maintenance.ts';
import type { Tariff } from './read/costs.ts';
import type { ResultPool, ResultTerms } from './results.ts';
import type { Sizes } from './sizes.ts';

/** How long things last. */
export type OfferTerms = {
  /** an offer is held so long */
  readonly lifetime: Seconds;
  /** most offers in one answer */
  readonly most: number;
  /** longest run, when the client asks for none */
  readonly duration: Seconds;
  /** longest run that a client may ask for */
  readonly longest: Seconds;
  /** how far ahead a run may start */
  readonly horizon: Seconds;
  /** after accept, a client that starts the job itself may wait so long */
  readonly startWindow: Seconds;
  /** reserved before the start, unless the destination says other */
  readonly prepare: Seconds;
  /** reserved after the run for tear-down, unless the destination says other */
  readonly release: Seconds;
  /** a job that could not begin for so long is given up */
  readonly queueLimit: Seconds;
  /** results are kept so long after the offered end of the run */
  readonly keepResults: Seconds;
};

/**
 * What the rules may use for one decision, and whether V8 may compile them: faster,
 * and more that could be attacked.
 */
export type SandboxTerms = {
  readonly jit: boolean;
  readonly decisionMs: number;
  readonly memoryMb: number;
};

export type SiteDestination = {
  readonly id: string;
  readonly capacity: Capacity;
  readonly sizes: Sizes;
  /**
   * times at which it, or a part of it, is not there; those of the
   * calendar among them once that is read
   */
  readonly maintenance: readonly Maintenance[];
  /** absolute path of an iCalendar file with more of them */
  readonly calendar: string | undefined;
  /** reserved before the start: nothing starts earlier than that from now */
  readonly prepare: Seconds;
  /** reserved after the run for tear-down */
  readonly release: Seconds;
  /** names of task types, those of plug-ins among them */
  readonly taskTypes: ReadonlySet<string>;
  readonly engine: Engine;
  /** undefined: the site does not say */
  readonly arch: Architecture | undefined;
  /** the types of compute resource that it is */
  readonly platforms: Platforms;
  /** what the file says of its results, other than for the whole site */
  readonly ownResults: ResultTerms | undefined;
  /** where its results count; undefined: nowhere */
  readonly results: ResultPool | undefined;
  /** what its jobs cost, one for each type; empty: the file does not say */
  readonly costs: readonly Tariff[];
};
