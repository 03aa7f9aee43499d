import type { Json } from './job.ts';

/** The three amounts of TPV. Cores and GPUs are counts, memory is GB. */
export const RESOURCES = ['cores', 'mem', 'gpus'] as const;
export type ResourceName = (typeof RESOURCES)[number];

/** A resource after evaluation. */
export type RuledAmount = {
  /** The amount to ask the destination for; null when none is set, or when it is no number. */
  readonly value: number | null;
  /**
   * The value of the rules that is no number, which TPV hands on. Only in TPV's own answer; the
   * planner asks for numbers.
   */
  readonly unfit?: Json;
  /**
   * The amount of the tool, role, user and their rules, before this destination's values and
   * clamps.
   */
  readonly before: number | null;
  /** The bounds in force (`min_cores`, `max_cores`, ...); null when not set. */
  readonly min: number | null;
  readonly max: number | null;
};

export type Resources = { readonly [name in ResourceName]: RuledAmount };

/** Scheduling tags of an entity or destination, each list in its own order. */
export type Tags = {
  readonly require: readonly string[];
  readonly prefer: readonly string[];
  readonly accept: readonly string[];
  readonly reject: readonly string[];
};

/** Scheduling tags as a trace shows them, in which a null category differs from an empty one. */
export type ShownTags = { readonly [category in keyof Tags]: readonly string[] | null };

/** One reason of a refusal. All reasons of a destination are collected. */
export type Clause =
  | { readonly code: 'destination-abstract' }
  | {
      readonly code: 'above-max-accepted' | 'below-min-accepted';
      readonly resource: ResourceName;
      readonly asked: number;
      readonly limit: number;
    }
  /** `by` requires the tag, and the other side lacks it. */
  | {
      readonly code: 'required-tag-missing';
      readonly tag: string;
      readonly by: 'job' | 'destination';
    }
  /** `by` rejects the tag, and the other side has it in any category. */
  | { readonly code: 'tag-rejected'; readonly tag: string; readonly by: 'job' | 'destination' }
  /** The rules' own `rank` function left the destination out. */
  | { readonly code: 'not-ranked' };

/** One environment entry of TPV: a variable, a command to execute, or a file to source. */
export type EnvEntry = { readonly [key: string]: string };

/** The end of an evaluation that gives no destination. */
export type Verdict =
  /** A rule's `fail` text, an abstract tool, or no destination left. */
  | { readonly kind: 'fail'; readonly message: string }
  /** Not ready: try later. */
  | { readonly kind: 'wait'; readonly message: string | null }
  /** A Python exception of a rule: `className` is Python's, `place` is in the rule files. */
  | {
      readonly kind: 'error';
      readonly className: string;
      readonly message: string;
      readonly place: string | null;
    };

/** A destination that takes the job, fully evaluated for it. */
export type Evaluated = {
  readonly kind: 'evaluated';
  /** Id of the destination in the rule files. */
  readonly destination: string;
  /** Evaluated `destination_name_override`, or the id without one. */
  readonly name: string;
  readonly runner: string | null;
  /** Position in the order of preference, 0 first. */
  readonly rank: number;
  readonly score: number;
  readonly resources: Resources;
  readonly env: readonly EnvEntry[];
  readonly params: { readonly [key: string]: Json };
  readonly resubmit: readonly { readonly [key: string]: Json }[];
  /** Evaluated handler tags. */
  readonly tags: readonly string[];
  /** The destination's own scheduling tags. */
  readonly scheduling: Tags;
  /**
   * Values of the context variables that the job's entities and the destination set, without the
   * global ones.
   */
  readonly context: { readonly [key: string]: Json };
};

/** One destination and the engine's answer about it. */
export type Candidate =
  | Evaluated
  | {
      readonly kind: 'refused';
      readonly destination: string;
      readonly clauses: readonly [Clause, ...Clause[]];
    }
  /** It matched, and one of its rules then refused, deferred or broke. */
  | {
      readonly kind: 'stopped';
      readonly destination: string;
      readonly rank: number;
      readonly score: number;
      readonly verdict: Verdict;
    };

/** The amounts that pools count: cores, GB and GPUs before any destination. */
export type PoolAmounts = { readonly [name in ResourceName]: number };

/** What one user may have of a pool at a time; null for no bound. */
export type PoolBudget = { readonly [name in ResourceName]: number | null };

/** What a job takes of a pool while it lasts (TPV 3.3.0). */
export type PoolClaim = {
  readonly pool: string;
  /** `oversize`: larger than the whole budget, in a pool with places for such jobs. */
  readonly kind: 'normal' | 'oversize';
  readonly request: PoolAmounts;
  readonly budget: PoolBudget;
  /** The number of oversize jobs that one user may have at a time. */
  readonly mostOversize: number;
  /** An oversize job and others never share the pool. */
  readonly reserve: boolean;
};

/** A job that a pool can never take; the message is TPV's. */
export type PoolExcess = {
  readonly pool: string;
  readonly limits: readonly {
    readonly resource: ResourceName;
    readonly asked: number;
    readonly limit: number;
  }[];
  readonly message: string;
};

/** The claims of a job on pools, in the order of their names, up to the pool that refuses it. */
export type PoolsJudged = {
  readonly claims: readonly PoolClaim[];
  readonly excess: PoolExcess | null;
};

/** What the tool, role and user ask for, before any destination. */
export type Demand = {
  readonly id: string;
  readonly resources: { readonly [name in ResourceName]: number | null };
  readonly scheduling: Tags;
};

/** Every destination's answer: first those that can take the job, in order of preference. */
export type Consideration =
  | {
      readonly kind: 'considered';
      readonly demand: Demand;
      readonly candidates: readonly Candidate[];
      /** Null without pools, without a user, or when no destination takes the job. */
      readonly pools: PoolsJudged | null;
      readonly trace: readonly TraceStep[];
    }
  | { readonly kind: 'stopped'; readonly verdict: Verdict; readonly trace: readonly TraceStep[] };

/** The parts of an evaluated destination that the planner uses. */
export type Weighed = Pick<Evaluated, 'kind' | 'destination' | 'rank' | 'score' | 'resources'>;

/** One destination and what the planner learns about it. */
export type WeighedCandidate = Weighed | Exclude<Candidate, Evaluated>;

/**
 * The answers of the best destinations, as many as the planner asks for. The refusals of the others
 * follow from what the job seeks (`Admissions`).
 */
export type Weighing =
  | {
      readonly kind: 'considered';
      /** In order of preference; then those that match and that the rank function left out. */
      readonly candidates: readonly WeighedCandidate[];
      /** Whether all matching destinations are among the candidates. */
      readonly isWhole: boolean;
      /** Null when the candidates include all that do not match. */
      readonly sought: Sought | null;
      /** Null without pools, without a user, or when no destination takes the job. */
      readonly pools: PoolsJudged | null;
      readonly trace: readonly KeptStep[];
    }
  | { readonly kind: 'stopped'; readonly verdict: Verdict; readonly trace: readonly KeptStep[] };

/** What a job seeks, as far as it decides which destinations match. */
export type Sought = {
  /** Null for an amount that is not set, or is no number. */
  readonly asked: { readonly [name in ResourceName]: number | null };
  /** The amounts as a trace shows them. */
  readonly amounts: AmountsText;
  readonly tags: ShownTags;
};

/**
 * A step of a decision as records keep it: one step holds what the job seeks, in place of the
 * answers of all destinations.
 */
export type KeptStep = TraceStep | ({ readonly step: 'matching' } & Sought);

/** TPV's own answer: the first destination that does not fail. */
export type Decision =
  | {
      readonly kind: 'destination';
      readonly chosen: Evaluated;
      readonly trace: readonly TraceStep[];
    }
  | (Verdict & { readonly trace: readonly TraceStep[] });

/** One step of the trace, as data; trace-text.ts has the words. */
export type TraceStep =
  | { readonly step: 'tool-matched'; readonly tool: string; readonly entity: string }
  | { readonly step: 'role-matched'; readonly entity: string }
  | { readonly step: 'no-role' }
  | { readonly step: 'user-matched'; readonly user: string; readonly entity: string }
  | { readonly step: 'user-unmatched'; readonly user: string }
  | { readonly step: 'no-user' }
  | {
      readonly step: 'combined';
      readonly parts: readonly string[];
      readonly amounts: AmountsText;
      readonly scheduling: ShownTags;
    }
  | {
      readonly step: 'rule';
      readonly rule: string;
      readonly condition: string;
      /** The rule's own properties; null when its condition was false. */
      readonly matched: { readonly amounts: AmountsText; readonly scheduling: ShownTags } | null;
    }
  | { readonly step: 'resources'; readonly amounts: AmountsText }
  | {
      readonly step: 'destination-matched';
      readonly destination: string;
      readonly capacity: AmountsText;
    }
  | {
      readonly step: 'destination-refused';
      readonly destination: string;
      readonly clauses: readonly Clause[];
      /** The job's amounts and tags, and the destination's tags. */
      readonly amounts: AmountsText;
      readonly job: ShownTags;
      readonly scheduling: ShownTags;
    }
  | {
      readonly step: 'ranked';
      readonly position: number;
      readonly destination: string;
      readonly score: number;
    }
  | { readonly step: 'evaluating'; readonly destination: string }
  | {
      readonly step: 'destination-stopped';
      readonly destination: string;
      readonly verdict: Verdict;
      /** Whether TPV goes on to the next destination. */
      readonly tryNext: boolean;
    }
  | {
      readonly step: 'chosen';
      readonly destination: string;
      readonly runner: string;
      readonly amounts: AmountsText;
      /** As Python's repr prints them. */
      readonly params: string;
      readonly env: string;
    }
  | {
      readonly step: 'pool-governs';
      readonly pool: string;
      readonly kind: PoolClaim['kind'];
      readonly request: AmountsText;
      readonly budget: AmountsText;
      /** Of a job above the budget: the number of such jobs, and their largest size. */
      readonly oversize: { readonly most: string; readonly ceiling: AmountsText } | null;
    }
  | { readonly step: 'pool-refused'; readonly pool: string; readonly message: string }
  | { readonly step: 'no-pools' }
  | { readonly step: 'pools-admitted' | 'pools-deferred'; readonly pools: readonly string[] }
  | { readonly step: 'all-deferred' }
  | { readonly step: 'nothing-left'; readonly entity: string };

/** Amounts in Python's spelling: an expression before it is evaluated, `8.0`, or `None`. */
export type AmountsText = { readonly [name in ResourceName]: string };
