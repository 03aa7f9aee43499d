import { PyDict, str } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { Context } from './context.ts';
import type { EnvEntry, Evaluated, Resource, ResourceName } from './decision.ts';
import { combine } from './entity.ts';
import type { Entity } from './entity.ts';
import { evaluateDestination, numberOf } from './evaluate.ts';
import type { Placement } from './evaluate.ts';
import type { Ending } from './exceptions.ts';
import type { Json } from './job.ts';
import type { Mapping, Ranked, Shortlist } from './mapping.ts';
import { jsonObject } from './values.ts';

/** What came of evaluating one destination for the job. */
export type Outcome =
  | { readonly kind: 'evaluated'; readonly evaluated: Evaluated; readonly entity: Entity }
  | { readonly kind: 'ended'; readonly ending: Ending };

/** Step 5 for one destination: combine it with the job's entity and evaluate it in the context given (1.15). */
export function place(
  mapping: Mapping,
  shortlist: Shortlist,
  context: Context,
  candidate: Ranked,
  rank: number,
): Outcome {
  const { destination, score } = candidate;
  mapping.trace.add({ step: 'evaluating', destination: destination.id });
  try {
    const placement = evaluateDestination(combine(destination, shortlist.entity), context, mapping.trace);
    const evaluated = evaluatedOf(destination, placement, shortlist.evaluated, score, rank, context);
    return { kind: 'evaluated', evaluated, entity: placement.entity };
  } catch (error) {
    const ending = mapping.ending(error);
    mapping.trace.stopped(destination.id, ending);
    return { kind: 'ended', ending };
  }
}

function evaluatedOf(
  destination: Entity,
  placement: Placement,
  before: Entity,
  score: number,
  rank: number,
  context: Context,
): Evaluated {
  const { entity, name, handlerTags } = placement;
  return {
    kind: 'evaluated',
    destination: destination.id,
    name,
    runner: entity.destination?.runner ?? null,
    rank,
    score,
    resources: {
      cores: resourceOf('cores', entity, before),
      mem: resourceOf('mem', entity, before),
      gpus: resourceOf('gpus', entity, before),
    },
    env: (entity.env?.items ?? []).map(envEntry),
    params: jsonObject(entity.params),
    resubmit: (entity.resubmit?.pairs() ?? []).map(([, handler]) => resubmission(handler)),
    tags: handlerTags,
    scheduling: destination.scheduling,
    context: jsonObject(new PyDict((entity.context?.keys() ?? []).map((key) => [key, context.get(str(key)) ?? null]))),
  };
}

function resourceOf(name: ResourceName, after: Entity, before: Entity): Resource {
  return {
    value: numberOf(after.amounts[name], name),
    before: numberOf(before.amounts[name], name),
    min: numberOf(after.amounts[`min_${name}`], `min_${name}`),
    max: numberOf(after.amounts[`max_${name}`], `max_${name}`),
  };
}

function envEntry(entry: Value): EnvEntry {
  if (!(entry instanceof PyDict)) return { value: str(entry) };
  return Object.fromEntries(entry.pairs().map(([key, value]) => [str(key), str(value)]));
}

/** A resubmit handler as Galaxy takes it: `destination` is called `environment` and comes last (1.16). */
function resubmission(handler: Value): { readonly [key: string]: Json } {
  const { destination, ...rest } = jsonObject(handler instanceof PyDict ? handler : null);
  return destination === undefined ? rest : { ...rest, environment: destination };
}
