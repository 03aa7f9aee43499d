import type { Decision, ResourceName, Tags } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';
import type { JobDescription } from '../job.ts';
import type { Rules } from '../file/rules.ts';
import { mapAs } from '../decide/map.ts';
import { resourceOf, resubmissionsOf, variablesOf } from '../decide/place.ts';
import type { EvaluatedPlace } from '../decide/place.ts';
import type { Surroundings } from '../surroundings.ts';

/**
 * `JSON.stringify(map(...))`, written directly. It copies the JSON that all jobs share and makes no
 * objects just to print them: 10 of the 60 µs of a decision.
 */
export function mapText(rules: Rules, job: JobDescription, surroundings: Surroundings): string {
  const { kind, answer, trace } = mapAs(rules, job, surroundings, textOf);
  if (kind === 'ended') return JSON.stringify({ ...answer, trace } satisfies Decision);
  return `{"kind":"destination","chosen":${answer},"trace":${trace.length === 0 ? '[]' : JSON.stringify(trace)}}`;
}

const known = new WeakMap<Tags, string>();

/** The JSON of `evaluatedOf`, its keys in the same order. */
function textOf(placed: EvaluatedPlace): string {
  const { destination, placement, before, score, rank } = placed;
  const { entity, env, params, resubmit, name, handlerTags } = placement;
  const resource = (of: ResourceName): string => resourceText(of, entity, before);
  return (
    `{"kind":"evaluated","destination":${JSON.stringify(destination.id)},"name":${JSON.stringify(name)},` +
    `"runner":${JSON.stringify(entity.destination?.runner ?? null)},"rank":${rank},"score":${score},` +
    `"resources":{"cores":${resource('cores')},"mem":${resource('mem')},"gpus":${resource('gpus')}},` +
    `"env":${env?.entriesText() ?? '[]'},"params":${params?.jsonText() ?? '{}'},` +
    `"resubmit":${jsonOfList(resubmissionsOf(resubmit))},"tags":${jsonOfList(handlerTags)},` +
    `"scheduling":${tagsText(destination.scheduling)},"context":${JSON.stringify(variablesOf(placed))}}`
  );
}

function resourceText(name: ResourceName, after: Entity, own: Entity): string {
  const { value, unfit, before, min, max } = resourceOf(name, after, own, 'as-they-are');
  const told = unfit === undefined ? '' : `"unfit":${JSON.stringify(unfit)},`;
  return `{"value":${plain(value)},${told}"before":${plain(before)},"min":${plain(min)},"max":${plain(max)}}`;
}

/** JSON of a finite number. */
function plain(number: number | null): string {
  return number === null ? 'null' : String(number);
}

function jsonOfList(list: readonly unknown[]): string {
  return list.length === 0 ? '[]' : JSON.stringify(list);
}

/** Destinations whose tags no rule got hold of share one object of tags; most do. */
function tagsText(tags: Tags): string {
  const text = known.get(tags);
  if (text !== undefined) return text;
  const made = JSON.stringify(tags);
  known.set(tags, made);
  return made;
}
