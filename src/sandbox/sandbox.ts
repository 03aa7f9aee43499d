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
import type { Fetcher } from './fetcher.ts';
import type { Stops } from './tally.ts';

/** A failure of the sandbox itself, as opposed to an answer of the rules. */
export type SandboxFailure = {
  readonly kind: 'sandbox';
  readonly code: SandboxFailureCode;
  readonly message: string;
};

/**
 * - `no-rules`: nothing has been loaded yet.
 * - `bad-job`: the description of the job is not one; a tool id or e-mail longer than
 *   1,000 characters, for instance.
 * - `rule-timeout`: the decision took longer than its limit (a rule that loops).
 * - `rule-memory`: the decision took more memory than the isolate has.
 * - `engine-error`: the engine itself broke on the question; a defect, or
 *   an answer that cannot be read.
 * - `sandbox-crashed`: the child process died, or was killed because it no longer answered.
 * - `sandbox-closed`: `close()` was called.
 */
export type SandboxFailureCode =
  | 'no-rules'
  | 'bad-job'
  | 'rule-timeout'
  | 'rule-memory'
  | 'engine-error'
  | 'sandbox-crashed'
  | 'sandbox-closed';

/**
 * `refused` and `failed` leave the rules loaded before in force; `keeping` is their
 * digest, null if there are none.
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
 * What one decision takes from outside. The same question with the same circumstances has
 * the same answer. `answers` are those of the web servers that its rules asked, in order;
 * what is not among them is fetched.
 */
export type Circumstances = {
  readonly seed: number;
  readonly now: number;
  readonly answers?: readonly HttpAnswer[];
  /** State leaks from a destination that failed into the next, as in TPV; for `map` only. */
  readonly strict?: boolean;
  /** Whether to keep what is logged, and from which of Python's levels on; for `map` only. */
  readonly logged?: number;
  /**
   * How many of the best destinations are tried; for `weigh` only, and all that match unless told.
   */
  readonly most?: number;
};

/**
 * The rules that decided, as far as it takes to say what those
 * destinations said that did not match.
 */
export type RulesInForce = { readonly digest: string; readonly admissions: Admissions };

/**
 * An answer of the rules, and what web servers told them: with it in the circumstances the decision
 * can be made again. `said` is what was printed and logged, when the circumstances ask for it.
 */
export type Told<T> = T & {
  readonly answers?: readonly HttpAnswer[];
  readonly said?: readonly TranscriptLine[];
};

/** Counts since it was opened. */
export type SandboxStats = Stops & {
  readonly pid: number | null;
  /** Whether the rules are loaded a second time now, for when a decision is cut off. */
  readonly hasSpare: boolean;
  readonly digest: string | null;
  readonly decisions: number;
  /** Decisions and loads that ended in a SandboxFailure. */
  readonly failures: number;
  readonly respawns: number;
  readonly waiting: number;
  /**
   * Whether the rules in force ask how many jobs there are: then
   * descriptions of jobs need `otherJobs`.
   */
  readonly countsJobs: boolean;
};

/** Where rules run. Every promise settles; failures are values. */
export type Sandbox = {
  load(sources: readonly RuleSource[]): Promise<LoadReport>;
  consider(
    job: JobDescription,
    circumstances?: Circumstances,
  ): Promise<Told<Consideration> | SandboxFailure>;
  /**
   * What the best destinations say to a job, by which rules. The planner's question: it costs
   * little however many there are.
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
};

export type SandboxOptions = {
  /** Heap of the isolate, MB; 64 unless told. */
  readonly memoryMb?: number;
  /** Longest time of one decision, ms; 200 unless told. */
  readonly decisionMs?: number;
  /** Longest time of loading rule files, ms; 10,000 unless told. */
  readonly loadMs?: number;
  /**
   * Keep the rules loaded a second time, with as much memory, so that nobody waits for rules to be
   * loaded again behind a decision that was cut off; false unless told.
   */
  readonly spare?: boolean;
  /** Run the child without the JIT (safer, about three times slower); true unless told. */
  readonly jitless?: boolean;
  /**
   * Takes the requests of rules to web servers; without it every call of
   * `requests` raises ConnectionError.
   */
  readonly fetcher?: Pick<Fetcher, 'fetch'>;
};

export { openFetcher } from './fetcher.ts';
export { digestOf, openSandbox } from './open.ts';
