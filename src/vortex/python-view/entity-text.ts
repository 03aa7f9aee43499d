import { repr } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { entityFields } from '../entity/entity-fields.ts';
import type { Entity } from '../entity/entity.ts';
import { oversizeOf } from '../entity/pool-part.ts';
import type { PoolPart } from '../entity/pool-part.ts';
import { pythonList, TAG_TYPES } from '../entity/tags.ts';
import type { TagSet } from '../entity/tags.ts';

/**
 * `repr(entity)`: `Tool(id='x', abstract=False, ...)` with all fields, as pydantic prints a model.
 */
export function entityRepr(entity: Entity): string {
  return `${entity.cls.name}(${fieldTexts(entity).join(', ')})`;
}

/** `str(entity)`: its fields alone. */
export function entityText(entity: Entity): string {
  return fieldTexts(entity).join(' ');
}

/** TPV prints this field, which no rule uses. */
const LOADER = 'evaluator=<tpv.core.loader.TPVConfigLoader object at 0x7f0000000000>';

function fieldTexts(entity: Entity): readonly string[] {
  return entityFields(entity).flatMap(({ name, value }) => {
    const text = `${name}=${name === 'rules' ? rulesText(entity) : textOf(name, value, entity)}`;
    if (name !== 'context') return [text];
    // A destination has its own tags beside those for jobs, which stay empty.
    return [
      text,
      LOADER,
      ...(entity.destination === null && entity.pool === null
        ? []
        : [`tpv_tags=${tagsText(entity.tags)}`]),
    ];
  });
}

function rulesText({ rules }: Entity): string {
  return `{${[...rules].map(([id, rule]) => `${repr(id)}: ${entityRepr(rule)}`).join(', ')}}`;
}

function textOf(name: string, value: Value, { tags, destination, pool }: Entity): string {
  if (name === 'tpv_tags') return tagsText(tags);
  const selected = destination?.tags ?? pool?.tags;
  if (name === 'tpv_dest_tags' && selected !== undefined) return tagsText(selected);
  return name === 'oversize' && pool !== null ? `OversizePolicy(${policyText(pool)})` : repr(value);
}

function tagsText(tags: TagSet): string {
  return `SchedulingTags(${TAG_TYPES.map((type) => `${type}=${pythonList(tags[type])}`).join(', ')})`;
}

function policyText(pool: PoolPart): string {
  return Object.entries(oversizeOf(pool))
    .map(([name, value]) => `${name}=${repr(value)}`)
    .join(', ');
}
