import { asNumber, str } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Context } from './context.ts';
import type { Evaluated, ResourceName, Resources, RuledAmount, Weighed } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import { boundOf, evaluateDestination, numberAt, numberOf } from './evaluate.ts';
import type { Placement } from './evaluate.ts';
import type { EvaluationEnding } from '../python-view/exceptions.ts';
import { combine } from '../entity/layers.ts';
import type { Json } from '../job.ts';
import type { Mapping } from './mapping.ts';
import type { Ranked, Shortlist } from './shortlist.ts';
import type { Filled } from './template.ts';
import { isTable, toJson } from '../values.ts';

/** The result of evaluating one destination for the job. */
type DestinationOutcome<T> =
  | { readonly kind: 'evaluated'; readonly evaluated: T; readonly placement: Placement }
  | { readonly kind: 'ended'; readonly ending: EvaluationEnding };

/** Whether amounts must be numbers, or may be any value of the rules. */
export type Amounts = 'numbers' | 'as-they-are';

/** A destination evaluated for a job, with all that describes the result. */
export type EvaluatedPlace = {
  readonly destination: Entity;
  readonly placement: Placement;
  /** The job's entity with evaluated resources, before the destination. */
  readonly before: Entity;
  readonly score: number;
  readonly rank: number;
  readonly context: Context;
};

/**
 * Step 5 for one destination: combine it with the job's entity and evaluate it in the given
 * context. An exception of `describe` ends it as one of its rules does.
 */
export function placeAs<T>(
  mapping: Mapping,
  shortlist: Shortlist,
  context: Context,
  candidate: Ranked,
  rank: number,
  describe: (placed: EvaluatedPlace) => T,
): DestinationOutcome<T> {
  const { destination, score } = candidate;
  mapping.trace?.add({ step: 'evaluating', destination: destination.id });
  try {
    const placement = evaluateDestination(
      combined(destination, shortlist.entity.equal()),
      context,
      mapping.trace,
    );
    const evaluated = describe({
      destination,
      placement,
      before: shortlist.evaluated,
      score,
      rank,
      context,
    });
    return { kind: 'evaluated', evaluated, placement };
  } catch (error) {
    const ending = mapping.ending(error);
    mapping.trace?.stopped(destination.id, ending);
    return { kind: 'ended', ending };
  }
}

/**
 * The evaluated destination as data. Throws Python's exceptions for amounts that must be numbers
 * and are none.
 */
export function evaluatedOf(placed: EvaluatedPlace, amounts: Amounts): Evaluated {
  const { destination, placement, score, rank } = placed;
  const { entity, env, params, resubmit, name, handlerTags } = placement;
  return {
    kind: 'evaluated',
    destination: destination.id,
    name,
    runner: entity.destination?.runner ?? null,
    rank,
    score,
    resources: resourcesOf(placed, amounts),
    env: env?.entries() ?? [],
    params: tableOf(params),
    resubmit: resubmissionsOf(resubmit),
    tags: handlerTags,
    scheduling: destination.scheduling,
    context: variablesOf(placed),
  };
}

/**
 * The part of `evaluatedOf` that the planner uses. It ends where that does: what rules have got hold
 * of is made into JSON too.
 */
export function weighedOf(placed: EvaluatedPlace): Weighed {
  const { destination, placement, score, rank } = placed;
  const { env, params, resubmit } = placement;
  const resources = resourcesOf(placed, 'numbers');
  if (env?.isHeld === true) env.entries();
  if (params?.isHeld === true) params.json();
  if (resubmit?.isHeld === true) resubmit.json();
  variablesOf(placed);
  return { kind: 'evaluated', destination: destination.id, rank, score, resources };
}

/** Handlers as Galaxy takes them. */
export function resubmissionsOf(resubmit: Filled | null): Evaluated['resubmit'] {
  return resubmit === null ? [] : Object.values(tableOf(resubmit)).map(resubmission);
}

/** The context variables of the entity with their current values. */
export function variablesOf({ placement, context }: EvaluatedPlace): Evaluated['context'] {
  const { context: own } = placement.entity;
  if (own === null || own.table.size === 0) return {};
  return Object.fromEntries(
    own.keys().map((key) => [str(key), toJson(context.get(str(key)) ?? null)]),
  );
}

/** A resource with its evaluation: the value, the amount before the destination, and the bounds. */
export function resourceOf(
  name: ResourceName,
  after: Entity,
  before: Entity,
  amounts: Amounts,
): RuledAmount {
  const own = after.amounts[name];
  const value = amounts === 'numbers' ? numberOf(own, name) : plainNumber(own);
  const asked = before.amounts[name];
  const first = amounts === 'numbers' ? numberOf(asked, name) : plainNumber(asked);
  const min = boundOf(after.amounts[`min_${name}`]);
  const max = boundOf(after.amounts[`max_${name}`]);
  return value === null && own !== null
    ? { value, unfit: toJson(own), before: first, min, max }
    : { value, before: first, min, max };
}

function resourcesOf(
  { placement: { entity, ruled }, before, context }: EvaluatedPlace,
  amounts: Amounts,
): Resources {
  const resource = (name: ResourceName): RuledAmount => {
    if (amounts === 'numbers')
      numberAt(entity.amounts[name], name, ruled.now.amounts[name], context);
    return resourceOf(name, entity, before, amounts);
  };
  return { cores: resource('cores'), mem: resource('mem'), gpus: resource('gpus') };
}

function combined(destination: Entity, entity: Entity): Entity {
  const make = (): Entity => combine(destination, entity);
  const [settled, over] = [entity.settled, destination.settled];
  if (settled?.derived == null || over === undefined) return make();
  return settled.derived.placed(over, make);
}

function tableOf(filled: Filled | null): { readonly [key: string]: Json } {
  const json = filled?.json() ?? null;
  return isTable(json) ? json : {};
}

/** A resubmit handler as Galaxy takes it: `destination` is called `environment` and comes last. */
function resubmission(handler: Json): { readonly [key: string]: Json } {
  const { destination, ...rest } = isTable(handler) ? handler : {};
  return destination === undefined ? rest : { ...rest, environment: destination };
}

/** A finite number; null for everything else. */
function plainNumber(value: Value): number | null {
  const number = typeof value === 'boolean' ? undefined : asNumber(value);
  return number !== undefined && Number.isFinite(number) ? number : null;
}
