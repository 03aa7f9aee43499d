import type {
  Candidate,
  Consideration,
  Demand,
  Evaluated,
  PoolsJudged,
  ResourceName,
  WeighedCandidate,
  Weighing,
} from '../decision.ts';
import { numberAt } from './evaluate.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { Mapping } from './mapping.ts';
import { evaluatedOf, placeAs, weighedOf } from './place.ts';
import type { EvaluatedPlace } from './place.ts';
import { judgePools } from './pool.ts';
import { tellRanks } from './shortlist.ts';
import type { Ranked, RefusedDestination, Shortlist } from './shortlist.ts';
import { inFiveSteps } from './steps.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Context } from './context.ts';

/**
 * Asks every destination about a job. First come those that match, in order of preference, each
 * evaluated as if it were the first tried; then the others with all their reasons, in the order of
 * the files.
 */
export function consider(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
): Consideration {
  const mapping = new Mapping(rules, job, surroundings);
  return mapping.run(
    () =>
      inFiveSteps(mapping, 'with-reasons', (shortlist, context): Consideration => {
        const demand = demandOf(shortlist, context);
        const evaluated = best(shortlist.ranked, Infinity).tried.map((candidate, index) =>
          candidateOf(mapping, shortlist, context, candidate, index, asEvaluated),
        );
        const pools = poolsJudged(mapping, shortlist, evaluated);
        const candidates = [...evaluated, ...shortlist.refused.map(refusedOf)];
        return { kind: 'considered', demand, candidates, pools, trace: mapping.steps };
      }),
    (verdict) => ({ kind: 'stopped', verdict, trace: mapping.steps }),
  );
}

/**
 * Asks the `most` best destinations about a job, or all that match for null, each as in `consider`.
 * Leaves out the destinations that do not match, and the parts of an evaluated destination that the
 * planner does not use.
 */
export function weigh(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
  most: number | null,
): Weighing {
  const mapping = new Mapping(rules, job, surroundings);
  return mapping.run(
    () =>
      inFiveSteps(mapping, 'what-is-sought', (shortlist, context): Weighing => {
        const { ranked } = shortlist;
        const { tried, passed } = best(ranked, most ?? Infinity);
        tellRanks(mapping, ranked.slice(0, passed));
        // Amounts that are no numbers end the mapping here, as in `consider`.
        demandOf(shortlist, context);
        const evaluated = tried.map((candidate, index) =>
          candidateOf(mapping, shortlist, context, candidate, index, weighedOf),
        );
        const isWhole = passed === ranked.length;
        const pools = poolsJudged(mapping, shortlist, evaluated);
        const candidates = [...evaluated, ...(isWhole ? shortlist.refused.map(refusedOf) : [])];
        const { sought, keptSteps: trace } = mapping;
        return { kind: 'considered', candidates, isWhole, sought, pools, trace };
      }),
    (verdict) => ({ kind: 'stopped', verdict, trace: mapping.keptSteps }),
  );
}

/** What the pools say, if a destination takes the job. Throws Python's exceptions. */
function poolsJudged(
  { hasPools, rules, trace }: Mapping,
  { evaluated }: Shortlist,
  candidates: readonly WeighedCandidate[],
): PoolsJudged | null {
  if (!hasPools || !candidates.some(({ kind }) => kind === 'evaluated')) return null;
  return judgePools(rules.pools, evaluated, trace);
}

function demandOf({ entity, evaluated }: Shortlist, context: Context): Demand {
  const amount = (name: ResourceName): number | null =>
    numberAt(evaluated.amounts[name], name, entity.now.amounts[name], context);
  return {
    id: entity.now.id,
    resources: { cores: amount('cores'), mem: amount('mem'), gpus: amount('gpus') },
    scheduling: evaluated.tags.toJSON(),
  };
}

/**
 * The first `most` different destinations, since a rank function may name one twice; `passed`
 * counts the places of the list down to the last of them.
 */
function best(
  ranked: readonly Ranked[],
  most: number,
): { readonly tried: readonly Ranked[]; readonly passed: number } {
  const seen = new Map<string, Ranked>();
  for (const [index, candidate] of ranked.entries()) {
    const { id } = candidate.destination;
    if (seen.has(id)) continue;
    if (seen.size === most) return { tried: [...seen.values()], passed: index };
    seen.set(id, candidate);
  }
  return { tried: [...seen.values()], passed: ranked.length };
}

function candidateOf<T>(
  mapping: Mapping,
  shortlist: Shortlist,
  context: Context,
  candidate: Ranked,
  rank: number,
  describe: (placed: EvaluatedPlace) => T,
): T | Exclude<Candidate, Evaluated> {
  const { destination, score } = candidate;
  const fork = context.fork(shortlist.entity.equal());
  const outcome = placeAs(mapping, shortlist, fork, candidate, rank, describe);
  if (outcome.kind === 'evaluated') return outcome.evaluated;
  return {
    kind: 'stopped',
    destination: destination.id,
    rank,
    score,
    verdict: outcome.ending.verdict,
  };
}

function refusedOf({
  destination,
  clauses,
}: RefusedDestination): Candidate & { readonly kind: 'refused' } {
  return { kind: 'refused', destination: destination.id, clauses };
}

function asEvaluated(placed: EvaluatedPlace): Evaluated {
  return evaluatedOf(placed, 'numbers');
}
