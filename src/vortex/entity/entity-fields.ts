import { PyDict, PyList } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { DestinationPart, Entity } from './entity.ts';
import { OVERSIZE, oversizeOf } from './pool-part.ts';
import type { PoolPart } from './pool-part.ts';
import { CONCURRENT, DECLARED_AMOUNTS } from './properties.ts';
import { TAG_TYPES } from './tags.ts';
import type { TagSet } from './tags.ts';

/**
 * A field of an entity as TPV keeps it: its name in TPV's code, its key in rule files, its value
 * and its default.
 */
export type Field = {
  readonly name: string;
  readonly key: string;
  readonly value: Value;
  readonly default: Value;
};

const ACCEPTED_FIELDS = [
  'max_accepted_cores',
  'max_accepted_mem',
  'max_accepted_gpus',
  'min_accepted_cores',
  'min_accepted_mem',
  'min_accepted_gpus',
] as const;

/** The fields of an entity in TPV's order: common ones, those of its kind, unknown keys. */
export function entityFields(entity: Entity): readonly Field[] {
  const { destination, rule, pool } = entity;
  return [
    field('id', entity.id),
    field('abstract', entity.abstract, false),
    field('inherits', entity.inherits),
    ...DECLARED_AMOUNTS.map((name) => field(name, entity.amounts[name])),
    ...CONCURRENT.map((name) => field(name, entity.concurrent[name])),
    field('env', entity.env),
    field('params', entity.params),
    field('resubmit', entity.resubmit, nothing()),
    field('rank', entity.rank),
    field('context', entity.context, nothing()),
    ...(destination === null && pool === null ? [tagsField('tpv_tags', entity.tags)] : []),
    field('no_qa_codes', new PyList([...entity.silenced]), none()),
    ...(rule === null ? [field('rules', rulesOf(entity), nothing())] : ruleFields(rule)),
    ...(destination === null ? [] : destinationFields(destination)),
    ...(pool === null ? [] : poolFields(pool)),
    // An unknown key has no default: it is never left out.
    ...[...entity.extra].map(([name, value]) => field(name, value, value === null ? false : null)),
  ];
}

/** Whether a field has its default value. */
export function isDefault({ value, default: fallback }: Field): boolean {
  if (value instanceof PyDict && fallback instanceof PyDict) return value.equals(fallback) === true;
  if (value instanceof PyList && fallback instanceof PyList) return value.equals(fallback) === true;
  return value === fallback;
}

function field(name: string, value: Value, fallback: Value = null, key = name): Field {
  return { name, key, value, default: fallback };
}

function nothing(): PyDict {
  return new PyDict();
}

function tagsField(name: string, tags: TagSet): Field {
  const listed = (set: (type: (typeof TAG_TYPES)[number]) => readonly string[] | null): PyDict =>
    new PyDict(
      TAG_TYPES.map((type) => {
        const list = set(type);
        return [type, list === null ? null : new PyList([...list])];
      }),
    );
  return field(
    name,
    listed((type) => tags[type]),
    listed(() => []),
    'scheduling',
  );
}

function none(): PyList {
  return new PyList([]);
}

function rulesOf({ rules }: Entity): PyDict {
  return new PyDict([...rules.keys()].map((id) => [id, null]));
}

function ruleFields({ condition, execute, fail }: NonNullable<Entity['rule']>): readonly Field[] {
  return [
    field('if_condition', condition, null, 'if'),
    field('execute', execute),
    field('fail', fail),
  ];
}

function destinationFields({
  runner,
  accepted,
  name,
  tags,
  handlerTags,
}: DestinationPart): readonly Field[] {
  return [
    field('runner', runner),
    ...ACCEPTED_FIELDS.map((limit) => field(limit, accepted[limit])),
    field('dest_name', name, null, 'destination_name_override'),
    tagsField('tpv_dest_tags', tags),
    field('handler_tags', handlerTags, none(), 'tags'),
  ];
}

function poolFields(pool: PoolPart): readonly Field[] {
  const oversize = (part: Pick<PoolPart, 'oversize'>): PyDict => {
    const values = oversizeOf({ ...pool, ...part });
    return new PyDict(OVERSIZE.map((name) => [name, values[name]]));
  };
  return [
    field('oversize', oversize(pool), oversize({ oversize: {} })),
    field('fail_open', pool.failOpen ?? false, false),
    tagsField('tpv_dest_tags', pool.tags),
  ];
}
