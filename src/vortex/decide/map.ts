import type { Decision, TraceStep, Verdict } from '../decision.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { Mapping } from './mapping.ts';
import { evaluatedOf, placeAs } from './place.ts';
import type { EvaluatedPlace } from './place.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * TPV's own answer: the first destination in order of preference whose evaluation does not end in
 * TryNext...; anything else that a destination's rules raise ends the mapping.
 */
export function map(rules: Rules, job: JobDescription, surroundings: Surroundings): Decision {
  const { kind, answer, trace } = mapAs(rules, job, surroundings, (placed) =>
    evaluatedOf(placed, 'as-they-are'),
  );
  return kind === 'ended' ? { ...answer, trace } : { kind: 'destination', chosen: answer, trace };
}

/** A mapping's answer, the destination in the words of who asked. */
export type Mapped<T> =
  | { readonly kind: 'destination'; readonly answer: T; readonly trace: readonly TraceStep[] }
  | { readonly kind: 'ended'; readonly answer: Verdict; readonly trace: readonly TraceStep[] };

/** The same with `describe` to say what the destination came to. */
export function mapAs<T>(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
  describe: (placed: EvaluatedPlace) => T,
): Mapped<T> {
  const mapping = new Mapping(rules, job, surroundings);
  const { trace } = mapping;
  const stopped = (verdict: Verdict): Mapped<T> => ({
    kind: 'ended',
    answer: verdict,
    trace: mapping.steps,
  });
  // Where no destination can be left for the next one, the first is the only one that is tried.
  const isShared = surroundings.strict === true || !rules.snippets.mayTryNext;
  return mapping.run(() => {
    const { shortlist, context } = mapping.shortlist('without-reasons');
    const pooled = shortlist.ranked.length === 0 ? null : mapping.pooled(shortlist, context);
    let isDeferred = false;
    for (const [rank, candidate] of shortlist.ranked.entries()) {
      const own = isShared ? context : context.fork(shortlist.entity.equal());
      const outcome = placeAs(mapping, shortlist, own, candidate, rank, describe);
      if (outcome.kind === 'evaluated') {
        const excess = pooled === null ? null : mapping.admit(pooled);
        if (excess !== null) return stopped({ kind: 'fail', message: excess.message });
        trace?.chosen(outcome.placement.name, outcome.placement);
        return { kind: 'destination', answer: outcome.evaluated, trace: mapping.steps };
      }
      const { tryNext, verdict } = outcome.ending;
      if (!tryNext) return stopped(verdict);
      if (verdict.kind === 'wait') isDeferred = true;
      else mapping.log.leaving(candidate.destination, verdict);
    }
    if (isDeferred) {
      trace?.add({ step: 'all-deferred' });
      return stopped({ kind: 'wait', message: null });
    }
    trace?.add({ step: 'nothing-left', entity: shortlist.entity.now.id });
    return stopped({
      kind: 'fail',
      message: `No destinations are available to fulfill request: ${shortlist.entity.now.id}`,
    });
  }, stopped);
}
