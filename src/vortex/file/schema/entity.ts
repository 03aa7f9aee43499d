import { PyDict, PyList } from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import type { MapNode, Node } from '../../../yaml/index.ts';
import { describe, suggestion } from '../../../yaml/index.ts';
import { RESOURCES } from '../../decision.ts';
import { Entity } from '../../entity/entity.ts';
import type { RulePart } from '../../entity/entity.ts';
import type { FileReader } from '../file-reader.ts';
import { ACCEPTED, DECLARED_AMOUNTS, KNOWN_KEYS } from '../../entity/properties.ts';
import type { AcceptedName, EntityKind } from '../../entity/properties.ts';
import { readConcurrent, readPool } from './pools.ts';
import { notAnEntity } from './not-an-entity.ts';
import { EMPTY, readAbstract, readAmount, readDict, readLimit, readText } from './fields.ts';
import type { Fields } from './fields.ts';
import { readEnv, readResubmit } from './lists.ts';
import { readTags } from './tags.ts';
import { TAG_TYPES, TagSet } from '../../entity/tags.ts';

/**
 * Reads one entity; undefined when its body is no mapping. The reader gets problems and snippets.
 */
export function readEntity(
  kind: EntityKind,
  id: string,
  node: Node,
  what: string,
  read: FileReader,
  isInList = false,
): Entity | undefined {
  if (node.kind !== 'map') return notAnEntity(kind, node, what, read);
  const map = node;
  const entity = new Entity(kind, id);
  const entries = new Map(read.entries(map, what).map((entry) => [entry.name, entry]));
  const fields: Fields = { get: (key) => entries.get(key)?.value, what, read, isInList };
  readCommon(entity, fields);
  if (kind === 'destination') readDestination(entity, fields);
  if (kind === 'pool') readPool(entity, fields);
  if (kind === 'rule') entity.rule = readRule(map, fields);
  else expectId(fields);
  const known = KNOWN_KEYS[kind];
  const unknown = [...entries.values()].filter(
    ({ name }) => !known.includes(name) && name !== 'tpv_tags',
  );
  for (const { name, key } of unknown) {
    read.warning(
      key,
      `${what} has an unknown key '${name}'; it has no effect`,
      suggestion(name, known),
    );
  }
  entity.extra = new Map(unknown.map(({ name, value }) => [name, read.value(value, isInList)]));
  const places = [...unknown, ...unknownTags(entries.get('scheduling')?.value)];
  entity.unknown = new Map(places.map(({ name, key }) => [name, { file: read.file, ...key.at }]));
  entity.place = { file: read.file, ...node.at };
  return entity;
}

/** Reads in TPV's order of compiling, so that the first of several faults is TPV's. */
function readCommon(entity: Entity, fields: Fields): void {
  const { get, what, read } = fields;
  const lazily = entity.kind === 'rule';
  entity.abstract = readAbstract(fields);
  entity.inherits = readText(fields, 'inherits');
  for (const name of DECLARED_AMOUNTS) entity.amounts[name] = readAmount(fields, name, lazily);
  entity.concurrent = readConcurrent(fields);
  entity.env = readEnv(fields, lazily);
  entity.params = readDict(fields, 'params');
  if (entity.params !== null) read.strings(get('params'), lazily, { what, key: 'params' });
  entity.resubmit = readResubmit(fields, lazily);
  entity.rank = readText(fields, 'rank');
  if (entity.rank !== null) read.snippet(get('rank'), 'code', lazily, { what, key: 'rank' });
  entity.context = get('context') === undefined ? new PyDict() : readDict(fields, 'context');
  const scheduling = get('scheduling');
  const tags =
    scheduling === undefined ? undefined : readTags(scheduling, `'scheduling' of ${what}`, read);
  if (tags !== undefined) entity.tags = tags;
  const rules = get('rules');
  if (rules !== undefined && entity.kind !== 'rule')
    entity.rules = readRules(rules, `'rules' of ${what}`, read);
}

function readRules(node: Node, what: string, read: FileReader): ReadonlyMap<string, Entity> {
  const rules = new Map<string, Entity>();
  const bodies: { key: string | undefined; body: Node }[] =
    node.kind === 'seq'
      ? node.items.map((body) => ({ key: undefined, body }))
      : read.entries(node, what).map(({ name, value }) => ({ key: name, body: value }));
  for (const { key, body } of bodies) {
    if (key === undefined && body.kind !== 'map') {
      read.problem(
        body,
        `a rule of ${what} must be a mapping, not ${describe(body)}`,
        undefined,
        'TypeError',
      );
      continue;
    }
    const given =
      body.kind === 'map'
        ? body.entries.find((entry) => entry.key.kind === 'string' && entry.key.value === 'id')
        : undefined;
    const id =
      given === undefined
        ? read.nextRuleId()
        : (read.expectString(given.value, `'id' of a rule of ${what}`) ?? '');
    const rule = readEntity(
      'rule',
      id,
      body,
      `rule '${key ?? id}' in ${what}`,
      read,
      key === undefined,
    );
    if (rule !== undefined) rules.set(key ?? id, rule);
  }
  return rules;
}

function readDestination(entity: Entity, fields: Fields): void {
  const { get, what, read } = fields;
  const own = readText(fields, 'destination_name_override');
  read.snippet(get('destination_name_override'), 'fstring', true, {
    what,
    key: 'destination_name_override',
  });
  const handlers = get('tags');
  const handlerTags = read.expectStrings(handlers, `'tags' of ${what}`) ?? [];
  read.strings(handlers, false, { what, key: 'tags' });
  const accepted: { [name in AcceptedName]?: Value } = {};
  for (const name of ACCEPTED) accepted[name] = readLimit(fields, name);
  const limit = (name: AcceptedName): Value => accepted[name] ?? null;
  entity.destination = {
    runner: readText(fields, 'runner'),
    // Without an override the id is an f-string. Only here, an id in the body counts.
    name: own || readText(fields, 'id') || entity.id,
    accepted: {
      max_accepted_cores: limit('max_accepted_cores'),
      min_accepted_cores: limit('min_accepted_cores'),
      max_accepted_mem: limit('max_accepted_mem'),
      min_accepted_mem: limit('min_accepted_mem'),
      max_accepted_gpus: limit('max_accepted_gpus'),
      min_accepted_gpus: limit('min_accepted_gpus'),
    },
    // `scheduling` of a destination sets its destination tags; its entity tags stay empty.
    tags: entity.tags,
    handlerTags: new PyList([...handlerTags]),
  };
  entity.tags = new TagSet();
  for (const name of RESOURCES) {
    if (entity.amounts[name] === null || limit(`max_accepted_${name}`) !== null) continue;
    const hint = `write max_accepted_${name} for what it takes, max_${name} for what it gives`;
    read.warning(
      get(name) ?? EMPTY,
      `'${name}' of ${what} replaces what every job asks for; it is no limit`,
      hint,
    );
  }
}

function readRule(node: MapNode, fields: Fields): RulePart {
  const { get, what, read } = fields;
  const condition = get('if');
  const execute = readText(fields, 'execute');
  const fail = readText(fields, 'fail');
  read.snippet(get('execute'), 'exec', true, { what, key: 'execute' });
  read.snippet(get('fail'), 'fstring', true, { what, key: 'fail' });
  if (condition === undefined) {
    const hint =
      get('match') === undefined
        ? 'write the condition in Python, or true'
        : "'match' was for TPV 1; write 'if'";
    read.problem(node, `${what} has no 'if'`, hint);
  }
  return { condition: readCondition(condition, what, read), execute, fail };
}

function readCondition(node: Node | undefined, what: string, read: FileReader): string | boolean {
  if (node === undefined) return false;
  if (node.kind === 'bool') return node.value;
  if (node.kind === 'string') {
    read.snippet(node, 'code', true, { what, key: 'if' });
    return node.value;
  }
  if ((node.kind === 'int' || node.kind === 'float') && (node.value === 0 || node.value === 1))
    return node.value === 1;
  read.problem(node, `'if' of ${what} must be a Python expression or true or false`);
  return false;
}

/** An id inside a body has no effect, since the key is the id; it must still be text. */
function expectId({ get, what, read }: Fields): void {
  read.expectString(get('id'), `'id' of ${what}`, 'leave it out: the key is the id');
}

/** The keys of `scheduling` that are no tag categories. */
function unknownTags(
  node: Node | undefined,
): readonly { readonly name: string; readonly key: Node }[] {
  const entries = node?.kind === 'map' ? node.entries : [];
  return entries.flatMap(({ key }) =>
    key.kind === 'string' && !TAG_TYPES.some((type) => type === key.value)
      ? [{ name: `scheduling.${key.value}`, key }]
      : [],
  );
}
