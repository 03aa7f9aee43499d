import type { TranscriptLine } from '../python/transcript.ts';
import type { HttpAnswer } from '../python/modules/requests/exchange.ts';
import type {
  Admissions,
  Consideration,
  Decision,
  JobDescription,
  FileProblem,
  RuleSource,
  RulesSummary,
  Weighing,
} from '../vortex/index.ts';
import type { Enclosing, EnclosureWish } from './enclosure/enclosing.ts';
import type { Fetcher } from './fetcher.ts';
import type { Stops } from './tally.ts';

/** A failure of the sandbox itself, not an answer of the rules. */
export type SandboxFailure = {
  readonly kind: 'sandbox';
  readonly code: SandboxFailureCode;
  readonly message: string;
};

/**
 * - `no-rules`: no rules are loaded yet.
 * - `bad-job`: the description of the job is invalid, for instance with a tool id or e-mail above
 * 1,000 characters.
 * - `rule-timeout`: the decision took longer than its limit (a rule that loops).
 * - `rule-memory`: the decision took more memory than the isolate has.
 * - `engine-error`: the engine itself broke; a defect, or an unreadable answer.
 * - `sandbox-crashed`: the child process died, or was killed because it did not answer.
 * - `sandbox-closed`: `close()` was called.
 */
type SandboxFailureCode =
  | 'no-rules'
  | 'bad-job'
  | 'rule-timeout'
  | 'rule-memory'
  | 'engine-error'
  | 'sandbox-crashed'
  | 'sandbox-closed';

/**
 * After `refused` and `failed` the earlier rules stay in force; `keeping` is their digest, null for
 * none.
 */
export type LoadReport =
  | {
      readonly kind: 'loaded';
      readonly rules: RulesSummary;
      readonly warnings: readonly FileProblem[];
      readonly milliseconds: number;
    }
  | {
      readonly kind: 'refused';
      readonly problems: readonly FileProblem[];
      readonly keeping: string | null;
    }
  | { readonly kind: 'failed'; readonly failure: SandboxFailure; readonly keeping: string | null };

/**
 * What one decision takes from outside. The same question under the same circumstances has the same
 * answer. `answers` are those of the web servers that its rules asked, in order; the sandbox
 * fetches any others.
 */
export type Circumstances = {
  readonly seed: number;
  readonly now: number;
  readonly answers?: readonly HttpAnswer[];
  /** State leaks from a destination that failed into the next, as in TPV; for `map` only. */
  readonly strict?: boolean;
  /** The lowest of Python's levels to keep from the log; for `map` only. */
  readonly logged?: number;
  /** The number of best destinations to try; for `weigh` only. By default all that match. */
  readonly most?: number;
};

/** The rules that decided, as far as the answers of the other destinations need them. */
export type RulesInForce = { readonly digest: string; readonly admissions: Admissions };

/**
 * An answer of the rules, with the answers of web servers that repeat the decision. `said` is what
 * rules printed and logged, if the circumstances ask for it.
 */
export type Told<T> = T & {
  readonly answers?: readonly HttpAnswer[];
  readonly said?: readonly TranscriptLine[];
};

/** Counts since the sandbox was opened. */
export type SandboxStats = Stops & {
  /** Whether the child is in an enclosure of the system; null until that is known. */
  readonly isEnclosed: boolean | null;
  /** Whether V8 compiles the rules. */
  readonly hasJit: boolean;
  /** Whether a spare isolate has the rules loaded. */
  readonly hasSpare: boolean;
  readonly digest: string | null;
  readonly decisions: number;
  /** Decisions and loads that ended in a SandboxFailure. */
  readonly failures: number;
  readonly respawns: number;
  readonly waiting: number;
  /** Whether the rules in force count jobs: then descriptions of jobs need `otherJobs`. */
  readonly countsJobs: boolean;
  /** Whether they read costs: then descriptions of jobs need `costs`. */
  readonly readsCosts: boolean;
};

/**
 * When V8 may compile the rules, which makes decisions two to four times as fast and gives attackers
 * more code to attack: `enclosed` where the system holds the child, too.
 */
export type Jit = 'always' | 'enclosed' | 'never';

/** Where rules run. Every promise settles; failures are values. */
export type Sandbox = {
  load(sources: readonly RuleSource[]): Promise<LoadReport>;
  consider(
    job: JobDescription,
    circumstances?: Circumstances,
  ): Promise<Told<Consideration> | SandboxFailure>;
  /**
   * The answers of the best destinations, and the rules that gave them: the planner's question. Its
   * cost hardly depends on the number of destinations.
   */
  weigh(
    job: JobDescription,
    circumstances?: Circumstances,
  ): Promise<(Told<Weighing> & { readonly rules: RulesInForce }) | SandboxFailure>;
  /** Without `explain` the trace is empty, and the decision takes half the time. */
  map(
    job: JobDescription,
    circumstances?: Circumstances,
    explain?: boolean,
  ): Promise<Told<Decision> | SandboxFailure>;
  close(): Promise<void>;
  stats(): SandboxStats;
  /** Of the process that decides; null while there is none. Takes two readings of /proc. */
  pid(): number | null;
};

export type SandboxOptions = {
  /** Heap of the isolate, MB; 64 by default. */
  readonly memoryMb?: number;
  /** Longest time of one decision, ms; 200 by default. */
  readonly decisionMs?: number;
  /** Longest time of loading rule files, ms; 10,000 by default. */
  readonly loadMs?: number;
  /**
   * Keep the rules loaded a second time, with as much memory, so that no request waits for a reload
   * after a decision was cut off. False by default.
   */
  readonly spare?: boolean;
  /** `enclosed` by default. */
  readonly jit?: Jit;
  /** Whether the system must hold the child; `preferred` by default. */
  readonly isolation?: EnclosureWish;
  /** What all sandboxes of a service share; by default this one finds out alone. */
  readonly enclosing?: Enclosing;
  /**
   * Sends requests of rules to web servers; without it every call of `requests` raises
   * ConnectionError.
   */
  readonly fetcher?: Pick<Fetcher, 'fetch'>;
};

export { openFetcher } from './fetcher.ts';
export { digestOf, openSandbox } from './open.ts';
