import type { Json } from './job.ts';

/** The three amounts TPV knows. Units: cores and GPUs are counts, memory is GB. */
export type ResourceName = 'cores' | 'mem' | 'gpus';

/** A resource after evaluation. */
export type RuledAmount = {
  /**
   * What the destination would be asked for; null when nothing sets
   * it, or what is set is no number.
   */
  readonly value: number | null;
  /**
   * What it is then: TPV hands on whatever the rules came to. Only in its own answer;
   * the planner asks for numbers.
   */
  readonly unfit?: Json;
  /**
   * What the tool, role, user and their rules came to, before this
   * destination's own values and clamps.
   */
  readonly before: number | null;
  /** The bounds that were in force (`min_cores`, `max_cores`, ...); null when not set. */
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

/**
 * Scheduling tags as a trace shows them: a category that a file or a rule made null
 * is told apart from an empty one.
 */
export type ShownTags = { readonly [category in keyof Tags]: readonly string[] | null };

/**
 * One clause of a refusal, made where the test fails. All clauses of a destination are collected.
 */
export type Clause =
  | { readonly code: 'destination-abstract' }
  | {
      readonly code: 'above-max-accepted' | 'below-min-accepted';
      readonly resource: ResourceName;
      readonly asked: number;
      readonly limit: number;
    }
  /** `by` requires the tag and the other side does not carry it. */
  | {
      readonly code: 'required-tag-missing';
      readonly tag: string;
      readonly by: 'job' | 'destination';
    }
  /** `by` rejects the tag and the other side carries it, in whatever list. */
  | { readonly code: 'tag-rejected'; readonly tag: string; readonly by: 'job' | 'destination' }
  /** The rules' own `rank` function left the destination out. */
  | { readonly code: 'not-ranked' };

/** One environment entry of TPV: a variable, a command to execute, or a file to source. */
export type EnvEntry = { readonly [key: string]: string };

/** How an evaluation ended when it did not end well. */
export type Verdict =
  /** A rule's `fail` text, an abstract tool, or no destination left. */
  | { readonly kind: 'fail'; readonly message: string }
  /** Not ready: try later. */
  | { readonly kind: 'wait'; readonly message: string | null }
  /**
   * A Python exception escaped from a rule: `className` is Python's,
   * `place` is where in the rule files.
   */
  | {
      readonly kind: 'error';
      readonly className: string;
      readonly message: string;
      readonly place: string | null;
    };

/** A destination that can take the job, with everything evaluated for it. */
export type Evaluated = {
  readonly kind: 'evaluated';
  /** Id of the destination in the rule files. */
  readonly destination: string;
  /** Evaluated `destination_name_override`, the id when there is none. */
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
   * Values of the context variables that the job's entities and the destination set; the
   * global ones are not repeated.
   */
  readonly context: { readonly [key: string]: Json };
};

/** One destination and what the engine says of it. */
export type Candidate =
  | Evaluated
  | {
      readonly kind: 'refused';
      readonly destination: string;
      readonly clauses: readonly [Clause, ...Clause[]];
    }
  /** It matched, then a rule of the destination said no (or not yet, or broke). */
  | {
      readonly kind: 'stopped';
      readonly destination: string;
      readonly rank: number;
      readonly score: number;
      readonly verdict: Verdict;
    };

/** What a job asks of pools: cores, GB and GPUs before any destination had a say. */
export type PoolAmounts = { readonly [name in ResourceName]: number };

/** What one user may have of a pool at a time; null is not bounded. */
export type PoolBudget = { readonly [name in ResourceName]: number | null };

/** What a job takes of a pool as long as it lasts (TPV 3.3.0). */
export type PoolClaim = {
  readonly pool: string;
  /** `oversize`: larger than all of the budget, and the pool has places for such */
  readonly kind: 'normal' | 'oversize';
  readonly request: PoolAmounts;
  readonly budget: PoolBudget;
  /** so many jobs larger than the budget may one user have at a time */
  readonly mostOversize: number;
  /** an oversize job and others are never there together */
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

/**
 * What the pools say to a job: what it would take of each, in the order of their names,
 * up to the one that refuses it.
 */
export type PoolsJudged = {
  readonly claims: readonly PoolClaim[];
  readonly excess: PoolExcess | null;
};

/** What the tool, role and user came to before any destination was looked at. */
export type Demand = {
  readonly id: string;
  readonly resources: { readonly [name in ResourceName]: number | null };
  readonly scheduling: Tags;
};

/**
 * The planner's question answered: every destination, those that can take the job
 * first, in order of preference.
 */
export type Consideration =
  | {
      readonly kind: 'considered';
      readonly demand: Demand;
      readonly candidates: readonly Candidate[];
      /** Null where no pools are, nobody is known to ask, or no destination takes the job. */
      readonly pools: PoolsJudged | null;
      readonly trace: readonly TraceStep[];
    }
  | { readonly kind: 'stopped'; readonly verdict: Verdict; readonly trace: readonly TraceStep[] };

/** What of an evaluated destination a planner goes by. */
export type Weighed = Pick<Evaluated, 'kind' | 'destination' | 'rank' | 'score' | 'resources'>;

/** One destination and what a planner is told of it. */
export type WeighedCandidate = Weighed | Exclude<Candidate, Evaluated>;

/**
 * The planner's question answered as far as it was asked: the best destinations.
 * What the destinations say that do not match follows from what was sought
 * (`Admissions`), and is not repeated.
 */
export type Weighing =
  | {
      readonly kind: 'considered';
      /** In order of preference; then those that match and that the rules left out. */
      readonly candidates: readonly WeighedCandidate[];
      /** Whether there are no more destinations that match. */
      readonly isWhole: boolean;
      /** Null when the candidates have all that do not match. */
      readonly sought: Sought | null;
      /** Null where no pools are, nobody is known to ask, or no destination takes the job. */
      readonly pools: PoolsJudged | null;
      readonly trace: readonly KeptStep[];
    }
  | { readonly kind: 'stopped'; readonly verdict: Verdict; readonly trace: readonly KeptStep[] };

/** What a job asks for, as far as it decides which destinations match. */
export type Sought = {
  /** Null for what is not asked for, or is no number. */
  readonly asked: { readonly [name in ResourceName]: number | null };
  /** The same as a trace shows it. */
  readonly amounts: AmountsText;
  readonly tags: ShownTags;
};

/**
 * A step of a decision as it is kept: one stands for what all destinations say to what is sought.
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

/** One step of the trace, as data; text is rendered by trace-text.ts. */
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
      /** What the job asked for and its tags, against the destination's tags. */
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
      /** of a job that is larger than the budget: how many such, and how large */
      readonly oversize: { readonly most: string; readonly ceiling: AmountsText } | null;
    }
  | { readonly step: 'pool-refused'; readonly pool: string; readonly message: string }
  | { readonly step: 'no-pools' }
  | { readonly step: 'pools-admitted' | 'pools-deferred'; readonly pools: readonly string[] }
  | { readonly step: 'all-deferred' }
  | { readonly step: 'nothing-left'; readonly entity: string };

/** Amounts as Python writes them: an expression not yet evaluated, `8.0`, or `None`. */
export type AmountsText = { readonly [name in ResourceName]: string };
