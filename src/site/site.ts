import type { Amount, Capacity } from '../schedule/amount.ts';
import type { RunnerName } from '../runners/port.ts';
import type { Task } from '../tasks/task.ts';
import type { UrlPolicy } from '../tasks/url-policy.ts';
import type { Seconds } from '../words/units.ts';

/** How long things last. */
export type OfferTerms = {
  /** an offer is held so long */
  readonly lifetime: Seconds;
  /** most offers in one answer */
  readonly most: number;
  /** longest run, when the client asks for none */
  readonly duration: Seconds;
  /** after accept, a client that starts the job itself may wait so long */
  readonly startWindow: Seconds;
  /** reserved after the run for tear-down */
  readonly release: Seconds;
  /** a job that could not begin for so long is given up */
  readonly queueLimit: Seconds;
  /** results are kept so long after the offered end of the run */
  readonly keepResults: Seconds;
};

/** A bearer token of the site file: only its SHA-256 is written there. */
export type SiteToken = { readonly sha256: string; readonly user: string; readonly roles: readonly string[] };

/** What the rules may use for one decision, and whether V8 may compile them: faster, and more that could be attacked. */
export type SandboxTerms = { readonly jit: boolean; readonly decisionMs: number; readonly memoryMb: number };

export type SiteDestination = {
  readonly id: string;
  readonly capacity: Capacity;
  readonly taskTypes: ReadonlySet<Task['type']>;
  readonly runner: RunnerName;
};

/** What TPV has no word for, as the site file says it. Immutable; a reload makes a new one. */
export type Site = {
  readonly name: string;
  /** absolute paths of the rule files, in the order in which they are merged */
  readonly rules: readonly string[];
  readonly offers: OfferTerms;
  /** for whoever asks for no amounts: the specification's 2 cores, 2 GiB, 20 GiB of disc */
  readonly defaults: Amount;
  readonly fetch: UrlPolicy;
  readonly anonymous: boolean;
  readonly tokens: readonly SiteToken[];
  /** interpreter for python-program tasks of the process runner, an absolute path */
  readonly python: string | undefined;
  readonly sandbox: SandboxTerms;
  readonly destinations: ReadonlyMap<string, SiteDestination>;
};
