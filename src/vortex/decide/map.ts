import type { Context } from './context.ts';
import type { Decision, PoolExcess, TraceStep, Verdict } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import { evaluateResources } from './evaluate.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { Mapping } from './mapping.ts';
import { evaluatedOf, placeAs } from './place.ts';
import type { EvaluatedPlace } from './place.ts';
import { judgePools } from './pool.ts';
import type { Shortlist } from './shortlist.ts';
import { inFiveSteps } from './steps.ts';
import type { Surroundings } from '../surroundings.ts';
import type { Visible } from './visible.ts';

/**
 * TPV's own answer: the first destination in order of preference whose rules let the job through.
 * After TryNext... it tries the next one; any other exception of a destination ends the mapping.
 */
export function map(rules: Rules, job: JobDescription, surroundings: Surroundings): Decision {
  const { kind, answer, trace } = mapAs(rules, job, surroundings, (placed) =>
    evaluatedOf(placed, 'as-they-are'),
  );
  return kind === 'ended' ? { ...answer, trace } : { kind: 'destination', chosen: answer, trace };
}

/** The answer of a mapping, with the destination as `describe` words it. */
type Mapped<T> =
  | { readonly kind: 'destination'; readonly answer: T; readonly trace: readonly TraceStep[] }
  | { readonly kind: 'ended'; readonly answer: Verdict; readonly trace: readonly TraceStep[] };

/** As `map`, with `describe` to word the destination. */
export function mapAs<T>(
  rules: Rules,
  job: JobDescription,
  surroundings: Surroundings,
  describe: (placed: EvaluatedPlace) => T,
): Mapped<T> {
  const mapping = new Mapping(rules, job, surroundings);
  // Rules without TryNext... evaluate one destination only, which needs no copy of the names.
  const isShared = surroundings.strict === true || !rules.snippets.mayTryNext;
  return mapping.run(
    () =>
      inFiveSteps(mapping, 'without-reasons', (shortlist, context) =>
        firstThatTakes(mapping, shortlist, context, isShared, describe),
      ),
    (verdict) => stopped(mapping, verdict),
  );
}

/** Step 5: goes down the shortlist until a destination takes the job or ends the mapping. */
function firstThatTakes<T>(
  mapping: Mapping,
  shortlist: Shortlist,
  context: Context,
  isShared: boolean,
  describe: (placed: EvaluatedPlace) => T,
): Mapped<T> {
  const { trace } = mapping;
  const { entity, ranked, broken } = shortlist;
  const pooled = ranked.length === 0 ? null : pooledOf(mapping, entity, context);
  let isDeferred = false;
  for (const [rank, candidate] of ranked.entries()) {
    const own = isShared ? context : context.fork(entity.equal());
    const outcome = placeAs(mapping, shortlist, own, candidate, rank, describe);
    if (outcome.kind === 'evaluated') {
      const excess = pooled === null ? null : excessOf(mapping, pooled);
      if (excess !== null) return stopped(mapping, { kind: 'fail', message: excess.message });
      trace?.chosen(outcome.placement.name, outcome.placement);
      return { kind: 'destination', answer: outcome.evaluated, trace: mapping.steps };
    }
    const { tryNext, verdict } = outcome.ending;
    if (!tryNext) return stopped(mapping, verdict);
    if (verdict.kind === 'wait') isDeferred = true;
    else mapping.log.leaving(candidate.destination, verdict);
  }
  if (broken !== null) throw broken;
  trace?.add(
    isDeferred ? { step: 'all-deferred' } : { step: 'nothing-left', entity: entity.now.id },
  );
  if (isDeferred) return stopped(mapping, { kind: 'wait', message: null });
  const message = `No destinations are available to fulfill request: ${entity.now.id}`;
  return stopped(mapping, { kind: 'fail', message });
}

function stopped<T>({ steps }: Mapping, verdict: Verdict): Mapped<T> {
  return { kind: 'ended', answer: verdict, trace: steps };
}

/**
 * The amounts that TPV counts against pools. It evaluates resources once more for them, in a
 * separate context, so that rules draw random values again. Throws Python's exceptions.
 */
function pooledOf(mapping: Mapping, entity: Visible, context: Context): Entity | null {
  return mapping.hasPools ? evaluateResources(entity, context.fork(entity.equal())) : null;
}

/** Why pools never take the job, or null. The pools are empty, as in a dry run of TPV. */
function excessOf({ rules, trace }: Mapping, pooled: Entity): PoolExcess | null {
  const { claims, excess } = judgePools(rules.pools, pooled, trace);
  if (excess === null && claims.length > 0)
    trace?.add({ step: 'pools-admitted', pools: claims.map(({ pool }) => pool) });
  return excess;
}
