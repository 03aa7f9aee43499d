import { items, PyError, PyList, truthy, typeName } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Context } from './context.ts';
import type { Clause } from '../decision.ts';
import { Entity } from '../entity/entity.ts';
import { demandOf } from '../explain/trace.ts';
import { storableNumber } from '../limits.ts';
import type { Mapping } from './mapping.ts';
import { askedOf } from './match.ts';
import type { Asked } from './match.ts';
import type { Visible } from './visible.ts';

/** A destination that can take the job, and how well it suits. */
export type Ranked = { readonly destination: Entity; readonly score: number };

/** A destination that cannot take the job. */
export type RefusedDestination = {
  readonly destination: Entity;
  readonly clauses: readonly [Clause, ...Clause[]];
};

/** What a job asks for once its rules are evaluated. */
type EvaluatedJob = {
  /** Tool, role and user after their rules; resources are still expressions. */
  readonly entity: Visible;
  /** The same with resources evaluated. */
  readonly evaluated: Entity;
};

/** What is known before any destination is evaluated. */
export type Shortlist = EvaluatedJob & {
  readonly ranked: readonly Ranked[];
  /** The exception of what a rank function put behind them, where the list ends. */
  readonly broken: PyError | null;
  readonly refused: readonly RefusedDestination[];
};

/**
 * What to tell of the destinations that do not match: every reason, nothing, or what the
 * job seeks, from which the reasons follow.
 */
export type Telling = 'with-reasons' | 'without-reasons' | 'what-is-sought';

/** The order of preference; `matching` has those that a rank function left out, too. */
type FastRanking = Ranking & { readonly matching: readonly Entity[] };
type Ranking = Pick<Shortlist, 'ranked' | 'broken'>;

/**
 * Step 4: the destinations that match, best first, and those that do not. Works the reasons out
 * only for a caller or a trace that tells them. Throws Python's exceptions.
 */
export function findDestinations(
  mapping: Mapping,
  job: EvaluatedJob,
  context: Context,
  telling: Telling,
): Shortlist {
  const { entity, evaluated } = job;
  const asked = askedOf(evaluated);
  context.session.demand = asked;
  // An amount that is no number fails at the first destination with a limit, even if its tags
  // do not suit: then every destination is compared.
  const isFast =
    telling === 'what-is-sought' || (telling === 'without-reasons' && mapping.trace === null);
  if (isFast && asked.unfit === null) {
    if (telling === 'what-is-sought') seek(mapping, evaluated, asked);
    const { ranked, broken, matching } = fastRank(mapping, job, asked, context);
    const refused = telling === 'without-reasons' ? [] : leftOut(matching, ranked);
    return { entity, evaluated, ranked, broken, refused };
  }
  const { matching, refused } = match(mapping, evaluated, asked);
  mapping.log.ranking(matching, entity.now);
  const { ranked, broken } = rank(matching, entity, context);
  if (telling !== 'what-is-sought') tellRanks(mapping, ranked);
  return { entity, evaluated, ranked, broken, refused: [...refused, ...leftOut(matching, ranked)] };
}

/** Adds the order of preference to the steps. */
export function tellRanks({ trace }: Mapping, ranked: readonly Ranked[]): void {
  for (const [index, { destination, score }] of ranked.entries())
    trace?.add({ step: 'ranked', position: index + 1, destination: destination.id, score });
}

function seek(mapping: Mapping, evaluated: Entity, { cores, mem, gpus }: Asked): void {
  const asked = {
    cores: storableNumber(cores),
    mem: storableNumber(mem),
    gpus: storableNumber(gpus),
  };
  const { amounts, job: tags } = demandOf(evaluated);
  mapping.seek({ asked, amounts, tags });
}

/** The same result as `match` and `rank`, found by the index of tags. */
function fastRank(
  { rules: { index } }: Mapping,
  { entity, evaluated: { tags } }: EvaluatedJob,
  asked: Asked,
  context: Context,
): FastRanking {
  if (index.isEmpty) return { ...rank([], entity, context), matching: [] };
  if (rankFunction(entity.now) === null && entity.now.tags === tags)
    return { ranked: index.byScore(tags, asked), broken: null, matching: [] };
  const matching = index.inOrder(tags, asked);
  return { ...rank(matching, entity, context), matching };
}

function match(
  { rules, trace }: Mapping,
  job: Entity,
  asked: Asked,
): { matching: Entity[]; refused: RefusedDestination[] } {
  const matching: Entity[] = [];
  const refused: RefusedDestination[] = [];
  const told = trace === null ? undefined : demandOf(job);
  for (const [destination, [first, ...rest]] of rules.index.reasons(job.tags, asked)) {
    if (first === undefined) {
      matching.push(destination);
      trace?.matched(destination);
    } else {
      const clauses = [first, ...rest] as const;
      refused.push({ destination, clauses });
      if (told !== undefined) trace?.refused(destination, clauses, told);
    }
  }
  return { matching, refused };
}

/**
 * Orders by the entity's own `rank` function, which may leave destinations out, else by score.
 * Equal scores keep the order of the files.
 */
function rank(matching: readonly Entity[], entity: Visible, context: Context): Ranking {
  const scored = (destination: Entity): Ranked => ({
    destination,
    score: destination.scoreOf(entity.now),
  });
  const own = rankFunction(entity.now);
  if (own === null)
    return { ranked: matching.map(scored).sort((a, b) => b.score - a.score), broken: null };
  context.set('candidate_destinations', new PyList(matching.map(candidateOf)));
  const result = context.code(own);
  const { good, broken } = destinationsIn(truthy(result) ? items(result) : []);
  if (good.length === 0 && broken !== null) throw broken;
  return { ranked: good.map(scored), broken };
}

/** The destinations up to the first other value, which TPV fails at when it gets there. */
function destinationsIn(listed: readonly Value[]): {
  readonly good: readonly Entity[];
  readonly broken: PyError | null;
} {
  const good: Entity[] = [];
  for (const item of listed) {
    if (!(item instanceof Entity) || item.kind !== 'destination') {
      const lacking = item instanceof Entity ? 'dest_name' : 'combine';
      const text = `'${typeName(item)}' object has no attribute '${lacking}'`;
      return { good, broken: new PyError('AttributeError', [text], text) };
    }
    good.push(item);
  }
  return { good, broken: null };
}

function rankFunction({ rank: own }: Entity): string | null {
  return own === '' ? null : own;
}

const copies = new WeakMap<Entity, Entity>();

/**
 * A loaded destination for a rank function, which may change what it ranks. Most functions only
 * look: an unchanged copy serves the next function too. With the dict of `mapper.ts` and
 * remembered scores this saves 4 of 63 µs of a decision.
 */
function candidateOf(destination: Entity): Entity {
  const known = copies.get(destination);
  if (known !== undefined) return known;
  const copy = destination.deepCopy();
  copy.onChange = () => {
    if (copies.get(destination) === copy) copies.delete(destination);
  };
  copies.set(destination, copy);
  return copy;
}

/** Matching destinations that a rank function did not name. */
function leftOut(
  matching: readonly Entity[],
  ranked: readonly Ranked[],
): readonly RefusedDestination[] {
  const ids = new Set(ranked.map(({ destination }) => destination.id));
  return matching
    .filter(({ id }) => !ids.has(id))
    .map((destination) => ({ destination, clauses: [{ code: 'not-ranked' }] }));
}
