import type { Candidate, Consideration, Demand, Verdict } from './decision.ts';
import { numberOf } from './evaluate.ts';
import type { JobDescription } from './job.ts';
import type { Rules } from './load.ts';
import { Mapping } from './mapping.ts';
import type { Ranked, Shortlist } from './mapping.ts';
import { place } from './place.ts';
import type { Surroundings } from './surroundings.ts';
import type { Context } from './context.ts';

/**
 * What every destination says to a job: those that match evaluated in order of preference, each as if it were the first
 * tried; then those that do not match, each with all its reasons, in the order of the files.
 */
export function consider(rules: Rules, job: JobDescription, surroundings: Surroundings): Consideration {
  const mapping = new Mapping(rules, job, surroundings);
  const stopped = (verdict: Verdict): Consideration => ({ kind: 'stopped', verdict, trace: mapping.steps });
  return mapping.run(() => {
    const { shortlist, context } = mapping.shortlist('with-reasons');
    const demand = demandOf(shortlist);
    const evaluated = distinct(shortlist.ranked).map((candidate, index) =>
      candidateOf(mapping, shortlist, context, candidate, index),
    );
    const refused = shortlist.refused.map(({ destination, clauses }): Candidate => ({
      kind: 'refused',
      destination: destination.id,
      clauses,
    }));
    return { kind: 'considered', demand, candidates: [...evaluated, ...refused], trace: mapping.steps };
  }, stopped);
}

function candidateOf(
  mapping: Mapping,
  shortlist: Shortlist,
  context: Context,
  candidate: Ranked,
  rank: number,
): Candidate {
  const { destination, score } = candidate;
  const outcome = place(mapping, shortlist, context.fork(shortlist.entity.equal()), candidate, rank, 'numbers');
  if (outcome.kind === 'evaluated') return outcome.evaluated;
  return { kind: 'stopped', destination: destination.id, rank, score, verdict: outcome.ending.verdict };
}

/** A rank function may name a destination more than once; the first time counts. */
function distinct(ranked: readonly Ranked[]): readonly Ranked[] {
  return [...new Map(ranked.toReversed().map((candidate) => [candidate.destination.id, candidate])).values()].reverse();
}

function demandOf({ entity, evaluated }: Shortlist): Demand {
  const { cores, mem, gpus } = evaluated.amounts;
  return {
    id: entity.now.id,
    resources: { cores: numberOf(cores, 'cores'), mem: numberOf(mem, 'mem'), gpus: numberOf(gpus, 'gpus') },
    scheduling: evaluated.tags.toJSON(),
  };
}
