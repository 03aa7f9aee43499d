import type { Decision, Verdict } from './decision.ts';
import type { JobDescription } from './job.ts';
import type { Rules } from './load.ts';
import { Mapping } from './mapping.ts';
import { place } from './place.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * TPV's own answer (1.1): the first destination in order of preference whose evaluation does not end in TryNext...;
 * anything else that a destination's rules raise ends the mapping.
 */
export function map(rules: Rules, job: JobDescription, surroundings: Surroundings): Decision {
  const mapping = new Mapping(rules, job, surroundings);
  const { trace } = mapping;
  const stopped = (verdict: Verdict): Decision => ({ ...verdict, trace: mapping.steps });
  // Where no destination can be left for the next one, the first is the only one that is tried.
  const isShared = surroundings.strict === true || !rules.snippets.mayTryNext;
  return mapping.run(() => {
    const { shortlist, context } = mapping.shortlist('without-reasons');
    let isDeferred = false;
    for (const [rank, candidate] of shortlist.ranked.entries()) {
      const own = isShared ? context : context.fork(shortlist.entity.equal());
      const outcome = place(mapping, shortlist, own, candidate, rank, 'as-they-are');
      if (outcome.kind === 'evaluated') {
        trace?.chosen(outcome.evaluated.name, outcome.placement);
        return { kind: 'destination', chosen: outcome.evaluated, trace: mapping.steps };
      }
      const { tryNext, verdict } = outcome.ending;
      if (!tryNext) return stopped(verdict);
      if (verdict.kind === 'wait') isDeferred = true;
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
