import { Fuel, FuelExhausted, items, PyList } from '../../python/index.ts';
import type { Modules, PyModule, RunOptions, Value } from '../../python/index.ts';
import { candidateOf } from './candidates.ts';
import { Context } from './context.ts';
import type { Session } from './context.ts';
import type {
  Clause,
  KeptStep,
  PoolExcess,
  PoolsJudged,
  Sought,
  TraceStep,
  Verdict,
} from '../decision.ts';
import { Entity } from '../entity/entity.ts';
import { evaluateResources, evaluateRules } from './evaluate.ts';
import { endingOf } from '../python-view/exceptions.ts';
import type { EvaluationEnding } from '../python-view/exceptions.ts';
import { inputSize } from '../python-view/helper-inputs.ts';
import { MappingLog } from './mapping-log.ts';
import { helpersOf } from '../python-view/helpers.ts';
import type { JobDescription } from '../job.ts';
import { storableNumber } from '../limits.ts';
import type { Rules } from '../file/rules.ts';
import { lookUp } from './lookup.ts';
import { judgePools } from './pool.ts';
import { askedOf } from './match.ts';
import type { Asked } from './match.ts';
import { modulesWith } from '../python-view/modules.ts';
import { firstScope } from './scope.ts';
import type { Surroundings } from '../surroundings.ts';
import { demandOf, Trace } from '../explain/trace.ts';
import { Visible } from './visible.ts';

/**
 * Steps of Python that one decision may take: about 30 ms of a loop without the JIT, so that fuel
 * runs out well before the sandbox's 200 ms. Recorded mappings of production rules take at most 874.
 */
const FUEL = 200_000;

const NO_MODULES: Modules = new Map();

/** A destination that can take the job, and how well it suits. */
export type Ranked = { readonly destination: Entity; readonly score: number };

/** A destination that cannot take the job. */
export type RefusedDestination = {
  readonly destination: Entity;
  readonly clauses: readonly [Clause, ...Clause[]];
};

/** What is known before any destination is evaluated: steps 1 to 4 of a mapping. */
export type Shortlist = {
  /** Tool, role and user after their rules; resources are still expressions. */
  readonly entity: Visible;
  /** The same with resources evaluated. */
  readonly evaluated: Entity;
  readonly ranked: readonly Ranked[];
  readonly refused: readonly RefusedDestination[];
};

/**
 * How much of the destinations is to be told: all reasons; none; or what was sought,
 * from which the reasons follow.
 */
type Telling = 'with-reasons' | 'without-reasons' | 'what-is-sought';

/** The order of preference; `matching` are those that a rank function may have left out. */
type FastRanking = { readonly ranked: readonly Ranked[]; readonly matching: readonly Entity[] };

/** One mapping under way. */
export class Mapping {
  /** Null when nobody asked for an explanation. */
  readonly trace: Trace | null;
  readonly log: MappingLog;
  readonly #rules: Rules;
  readonly #job: JobDescription;
  readonly #session: Session;
  readonly #scope: Map<string, Value>;
  /** What was sought, and how many steps came before that. */
  #matching: { readonly at: number; readonly sought: Sought } | null = null;

  constructor(rules: Rules, job: JobDescription, surroundings: Surroundings) {
    let size: Value | undefined;
    let helpers: PyModule | undefined;
    let importing: RunOptions | undefined;
    const helpersOnce = (): PyModule =>
      (helpers ??= helpersOf(job, surroundings.modules?.get('random')));
    const { random, now, transcript } = surroundings;
    const kept = transcript === undefined ? {} : { transcript };
    const plain: RunOptions = { fuel: new Fuel(FUEL), random, now, modules: NO_MODULES, ...kept };
    this.log = new MappingLog(transcript);
    this.trace = surroundings.explain === false ? null : new Trace();
    this.#rules = rules;
    this.#job = job;
    this.#session = {
      snippets: rules.snippets,
      plain,
      importing: () =>
        (importing ??= { ...plain, modules: modulesWith(helpersOnce, job, surroundings.modules) }),
      helpers: helpersOnce,
      inputSize: () => (size ??= inputSize(job)),
      place: null,
    };
    this.#scope = firstScope(rules, job, surroundings);
  }

  /** How an error of the mapping ended it; throws on what no rule can cause. */
  ending(error: unknown): EvaluationEnding {
    return endingOf(error, this.#takePlace());
  }

  #takePlace(): string | null {
    const { place } = this.#session;
    this.#session.place = null;
    return place;
  }

  /**
   * Run `body`; what ends it as a whole goes to `stopped`. Fuel that runs out ends everything:
   * there is none left for another destination either.
   */
  run<T>(body: () => T, stopped: (verdict: Verdict) => T): T {
    try {
      return body();
    } catch (error) {
      if (!(error instanceof FuelExhausted)) return stopped(this.ending(error).elsewhere);
      return stopped({
        kind: 'error',
        className: error.name,
        message: error.message,
        place: this.#takePlace(),
      });
    }
  }

  /** The steps so far; none when nobody asked. */
  get steps(): readonly TraceStep[] {
    return this.trace?.steps ?? [];
  }

  /**
   * What was sought when that was to be told; null before it is known, and when
   * all reasons were told instead.
   */
  get sought(): Sought | null {
    return this.#matching?.sought ?? null;
  }

  /** The steps so far, what was sought among them. */
  get keptSteps(): readonly KeptStep[] {
    if (this.#matching === null) return this.steps;
    const { at, sought } = this.#matching;
    return [...this.steps.slice(0, at), { step: 'matching', ...sought }, ...this.steps.slice(at)];
  }

  /**
   * Steps 1 to 4: look up, combine, rules, resources, match, rank. Why destinations were refused is
   * worked out only when it is asked for, here or by the trace. Throws Python's exceptions.
   */
  shortlist(telling: Telling): { readonly shortlist: Shortlist; readonly context: Context } {
    const combined = new Visible(lookUp(this.#rules, this.#job, this.trace));
    const context = new Context(this.#session, this.#scope, combined);
    const entity = evaluateRules(combined.now, context, this.trace).withoutRules();
    context.entity = entity;
    context.self = entity;
    const evaluated = evaluateResources(entity, context);
    this.trace?.resources(evaluated);
    const asked = askedOf(evaluated);
    // What is no number fails at the first destination with a limit, whether or not its tags suit.
    const isFast =
      telling === 'what-is-sought' || (telling === 'without-reasons' && this.trace === null);
    if (isFast && asked.unfit === null) {
      if (telling === 'what-is-sought') this.#seek(evaluated, asked);
      const { ranked, matching } = this.#fastRank(evaluated, asked, entity, context);
      const refused = telling === 'without-reasons' ? [] : leftOut(matching, ranked);
      return { shortlist: { entity, evaluated, ranked, refused }, context };
    }
    const { matching, refused } = this.#match(evaluated, asked);
    this.log.ranking(matching, entity.now);
    const ranked = rank(matching, entity, context);
    if (telling !== 'what-is-sought') this.tellRanks(ranked);
    return {
      shortlist: { entity, evaluated, ranked, refused: [...refused, ...leftOut(matching, ranked)] },
      context,
    };
  }

  /** Adds the order of preference to the steps. */
  tellRanks(ranked: readonly Ranked[]): void {
    for (const [index, { destination, score }] of ranked.entries()) {
      this.trace?.add({ step: 'ranked', position: index + 1, destination: destination.id, score });
    }
  }

  /**
   * What the pools say, where one of the destinations takes the job. Throws Python's exceptions.
   */
  judgePools(
    { evaluated }: Shortlist,
    candidates: readonly { readonly kind: string }[],
  ): PoolsJudged | null {
    if (!this.#hasPools || !candidates.some(({ kind }) => kind === 'evaluated')) return null;
    return judgePools(this.#rules.pools, evaluated, this.trace);
  }

  /**
   * What TPV counts against pools: it evaluates resources once more for that, in a context of its
   * own, so that what rules draw by chance is drawn again. Throws Python's exceptions.
   */
  pooled({ entity }: Shortlist, context: Context): Entity | null {
    if (!this.#hasPools) return null;
    return evaluateResources(entity, context.fork(entity.equal()));
  }

  /**
   * What the pools say to that where nobody has anything in them, as in a dry run of TPV:
   * why they never take it, or null.
   */
  admit(pooled: Entity): PoolExcess | null {
    const { claims, excess } = judgePools(this.#rules.pools, pooled, this.trace);
    if (excess === null && claims.length > 0)
      this.trace?.add({ step: 'pools-admitted', pools: claims.map(({ pool }) => pool) });
    return excess;
  }

  /** Pools are for those who are known. */
  get #hasPools(): boolean {
    return this.#rules.pools.length > 0 && this.#job.user !== null;
  }

  #seek(evaluated: Entity, { cores, mem, gpus }: Asked): void {
    const asked = {
      cores: storableNumber(cores),
      mem: storableNumber(mem),
      gpus: storableNumber(gpus),
    };
    const { amounts, job: tags } = demandOf(evaluated);
    this.#matching = { at: this.steps.length, sought: { asked, amounts, tags } };
  }

  /** The ranking by way of the tags; `#match` and `rank` come to the same. */
  #fastRank(evaluated: Entity, asked: Asked, entity: Visible, context: Context): FastRanking {
    const { index } = this.#rules;
    if (index.isEmpty) return { ranked: rank([], entity, context), matching: [] };
    const { tags } = evaluated;
    if (!hasRank(entity.now) && entity.now.tags === tags)
      return { ranked: index.byScore(tags, asked), matching: [] };
    const matching = index.inOrder(tags, asked);
    return { ranked: rank(matching, entity, context), matching };
  }

  #match(job: Entity, asked: Asked): { matching: Entity[]; refused: RefusedDestination[] } {
    const matching: Entity[] = [];
    const refused: RefusedDestination[] = [];
    const told = this.trace === null ? undefined : demandOf(job);
    for (const [destination, [first, ...rest]] of this.#rules.index.reasons(job.tags, asked)) {
      if (first === undefined) {
        matching.push(destination);
        this.trace?.matched(destination);
      } else {
        const clauses = [first, ...rest] as const;
        refused.push({ destination, clauses });
        if (told !== undefined) this.trace?.refused(destination, clauses, told);
      }
    }
    return { matching, refused };
  }
}

/**
 * The order of preference: the entity's own `rank` function, which may also leave destinations out,
 * or else by score, the order of the files deciding among equals.
 */
function rank(matching: readonly Entity[], entity: Visible, context: Context): Ranked[] {
  const scored = (destination: Entity): Ranked => ({
    destination,
    score: destination.scoreOf(entity.now),
  });
  const own = entity.now.rank;
  if (own === null || own === '') return matching.map(scored).sort((a, b) => b.score - a.score);
  // The function may change what it ranks; the loaded destinations stay as they are.
  context.set('candidate_destinations', new PyList(matching.map(candidateOf)));
  const result = context.code(own);
  const ordered = result === null ? [] : items(result).filter((item) => item instanceof Entity);
  return ordered.filter((item) => item.kind === 'destination').map(scored);
}

/** Those that match and that a rank function did not name. */
function leftOut(
  matching: readonly Entity[],
  ranked: readonly Ranked[],
): readonly RefusedDestination[] {
  const ids = new Set(ranked.map(({ destination }) => destination.id));
  return matching
    .filter(({ id }) => !ids.has(id))
    .map((destination) => ({ destination, clauses: [{ code: 'not-ranked' }] }));
}

function hasRank({ rank: own }: Entity): boolean {
  return own !== null && own !== '';
}
