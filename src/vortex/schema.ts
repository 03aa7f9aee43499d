import { float, PyDict, PyList, str, truthy } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import type { MapNode, Node } from '../yaml/index.ts';
import { describe, suggest } from '../yaml/index.ts';
import { Entity } from './entity.ts';
import type { RulePart } from './entity.ts';
import type { FileReader } from './file-reader.ts';
import { ACCEPTED, AMOUNTS, KNOWN_KEYS } from './properties.ts';
import type { AcceptedName, EntityKind } from './properties.ts';
import { notAnEntity } from './not-an-entity.ts';
import { readTags } from './schema-tags.ts';
import { TAG_TYPES, TagSet } from './tags.ts';
import { fromNode } from './values.ts';

/** The keys of one mapping of a rule file, and where problems with them go. */
type Fields = { readonly get: (key: string) => Node | undefined; readonly what: string; readonly read: FileReader };

/** Reads one entity (1.4, 1.5); undefined when its body is no mapping. Problems and snippets go to the reader. */
export function readEntity(
  kind: EntityKind,
  id: string,
  node: Node,
  what: string,
  read: FileReader,
): Entity | undefined {
  if (node.kind !== 'map') return notAnEntity(kind, node, what, read);
  const map = node;
  const entity = new Entity(kind, id);
  const entries = new Map(read.entries(map, what).map((entry) => [entry.name, entry]));
  const fields: Fields = { get: (key) => entries.get(key)?.value, what, read };
  readCommon(entity, fields);
  if (kind === 'destination') readDestination(entity, fields);
  if (kind === 'rule') entity.rule = readRule(map, fields);
  else expectId(fields);
  const known = KNOWN_KEYS[kind];
  const unknown = [...entries.values()].filter(({ name }) => !known.includes(name) && name !== 'tpv_tags');
  for (const { name, key } of unknown) {
    const best = suggest(name, known);
    read.warning(key, `${what} has an unknown key '${name}'; it has no effect`, best && `did you mean '${best}'?`);
  }
  entity.extra = new Map(unknown.map(({ name, value }) => [name, fromNode(value)]));
  const places = [...unknown, ...unknownTags(entries.get('scheduling')?.value)];
  entity.unknown = new Map(places.map(({ name, key }) => [name, { file: read.file, ...key.at }]));
  entity.place = { file: read.file, ...node.at };
  return entity;
}

/** The keys of `scheduling` that are no categories of tags. */
function unknownTags(node: Node | undefined): readonly { readonly name: string; readonly key: Node }[] {
  const entries = node?.kind === 'map' ? node.entries : [];
  return entries.flatMap(({ key }) =>
    key.kind === 'string' && !TAG_TYPES.some((type) => type === key.value)
      ? [{ name: `scheduling.${key.value}`, key }]
      : [],
  );
}

/** An id inside of a body means nothing, its key wins; it must be text all the same. */
function expectId({ get, what, read }: Fields): void {
  const id = get('id');
  if (id !== undefined) read.expectString(id, `'id' of ${what}`, 'leave it out: the key is the id');
}

function readCommon(entity: Entity, fields: Fields): void {
  const { get, what, read } = fields;
  const lazily = entity.kind === 'rule';
  entity.abstract = readAbstract(fields);
  entity.inherits = readText(fields, 'inherits');
  for (const name of AMOUNTS) entity.amounts[name] = readAmount(fields, name, lazily);
  const rank = readText(fields, 'rank');
  if (rank !== null) read.snippet(get('rank'), 'code', lazily);
  entity.rank = rank;
  entity.env = readEnv(fields, lazily);
  entity.params = readDict(fields, 'params');
  if (entity.params !== null) read.strings(get('params'), lazily);
  entity.resubmit = readResubmit(fields, lazily);
  entity.context = get('context') === undefined ? new PyDict() : readDict(fields, 'context');
  const scheduling = get('scheduling');
  const tags = scheduling === undefined ? undefined : readTags(scheduling, `'scheduling' of ${what}`, read);
  if (tags !== undefined) entity.tags = tags;
  const rules = get('rules');
  if (rules !== undefined && entity.kind !== 'rule') entity.rules = readRules(rules, `'rules' of ${what}`, read);
}

function readDestination(entity: Entity, fields: Fields): void {
  const { get, what, read } = fields;
  const own = readText(fields, 'destination_name_override');
  read.snippet(get('destination_name_override'), 'fstring', true);
  const handlers = get('tags');
  const handlerTags = handlers === undefined ? [] : (read.expectStrings(handlers, `'tags' of ${what}`) ?? []);
  read.strings(handlers, false);
  const accepted: { [name in AcceptedName]?: Value } = {};
  for (const name of ACCEPTED) accepted[name] = readLimit(fields, name);
  const limit = (name: AcceptedName): Value => accepted[name] ?? null;
  entity.destination = {
    runner: readText(fields, 'runner'),
    // The id is an f-string too, when there is no override (1.5).
    name: own || entity.id,
    accepted: {
      max_accepted_cores: limit('max_accepted_cores'),
      min_accepted_cores: limit('min_accepted_cores'),
      max_accepted_mem: limit('max_accepted_mem'),
      min_accepted_mem: limit('min_accepted_mem'),
      max_accepted_gpus: limit('max_accepted_gpus'),
      min_accepted_gpus: limit('min_accepted_gpus'),
    },
    // `scheduling` of a destination fills its destination tags and leaves its entity tags empty (1.5).
    tags: entity.tags,
    handlerTags: new PyList([...handlerTags]),
  };
  entity.tags = new TagSet();
  for (const name of ['cores', 'mem', 'gpus'] as const) {
    if (entity.amounts[name] === null || limit(`max_accepted_${name}`) !== null) continue;
    const hint = `write max_accepted_${name} for what it takes, max_${name} for what it gives`;
    read.warning(get(name) ?? EMPTY, `'${name}' of ${what} replaces what every job asks for; it is no limit`, hint);
  }
}

function readRule(node: MapNode, fields: Fields): RulePart {
  const { get, what, read } = fields;
  const condition = get('if');
  const execute = readText(fields, 'execute');
  const fail = readText(fields, 'fail');
  read.snippet(get('execute'), 'exec', true);
  read.snippet(get('fail'), 'fstring', true);
  if (condition === undefined) {
    const hint =
      get('match') === undefined ? 'write the condition in Python, or true' : "'match' was for TPV 1; write 'if'";
    read.problem(node, `${what} has no 'if'`, hint);
  }
  return { condition: readCondition(condition, what, read), execute, fail };
}

function readCondition(node: Node | undefined, what: string, read: FileReader): string | boolean {
  if (node === undefined) return false;
  if (node.kind === 'bool') return node.value;
  if (node.kind === 'string') {
    read.snippet(node, 'code', true);
    return node.value;
  }
  if ((node.kind === 'int' || node.kind === 'float') && (node.value === 0 || node.value === 1)) return node.value === 1;
  read.problem(node, `'if' of ${what} must be a Python expression or true or false`);
  return false;
}

function readRules(node: Node, what: string, read: FileReader): ReadonlyMap<string, Entity> {
  const rules = new Map<string, Entity>();
  const bodies: { key: string | undefined; body: Node }[] =
    node.kind === 'seq'
      ? node.items.map((body) => ({ key: undefined, body }))
      : read.entries(read.expectMap(node, what) ?? EMPTY, what).map(({ name, value }) => ({ key: name, body: value }));
  for (const { key, body } of bodies) {
    if (key === undefined && body.kind !== 'map') {
      read.problem(body, `a rule of ${what} must be a mapping, not ${describe(body)}`, undefined, 'TypeError');
      continue;
    }
    const given =
      body.kind === 'map'
        ? body.entries.find((entry) => entry.key.kind === 'string' && entry.key.value === 'id')
        : undefined;
    const id =
      given === undefined ? read.nextRuleId() : (read.expectString(given.value, `'id' of a rule of ${what}`) ?? '');
    const rule = readEntity('rule', id, body, `rule '${key ?? id}' in ${what}`, read);
    if (rule !== undefined) rules.set(key ?? id, rule);
  }
  return rules;
}

const EMPTY: MapNode = { kind: 'map', at: { line: 1, column: 1 }, entries: [] };
const TRUE = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', 'off', '0']);

function readAbstract({ get, what, read }: Fields): boolean {
  const node = get('abstract');
  if (node === undefined) return false;
  if (node.kind !== 'string') return truthy(fromNode(node));
  const word = node.value.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  if (!FALSE.has(word)) read.problem(node, `'abstract' of ${what} must be true or false`);
  return false;
}

function readText({ get, what, read }: Fields, key: string): string | null {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  return read.expectString(node, `'${key}' of ${what}`, 'write it in quotes') ?? null;
}

/** A resource: a number, or Python that comes to one. */
function readAmount({ get, what, read }: Fields, key: string, lazily: boolean): Value {
  const node = get(key);
  if (node === undefined) return null;
  switch (node.kind) {
    case 'null':
      return null;
    case 'bool':
      return node.value ? 1 : 0;
    case 'int':
    case 'float':
      return fromNode(node);
    case 'string':
      read.snippet(node, 'code', lazily);
      return node.value;
    default:
      read.problem(node, `'${key}' of ${what} must be a number or a Python expression`);
      return null;
  }
}

/** A limit of what a destination accepts: a number, never an expression. */
function readLimit({ get, what, read }: Fields, key: string): Value {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  // An infinite maximum is no maximum.
  if (node.kind === 'float' && node.value === Infinity && key.startsWith('max_')) return null;
  if ((node.kind === 'int' || node.kind === 'float') && Number.isFinite(Number(node.value))) return fromNode(node);
  if (node.kind === 'bool') return Number(node.value);
  const number = node.kind === 'string' ? numberIn(node.value.trim()) : undefined;
  if (number !== undefined) return number;
  read.problem(node, `'${key}' of ${what} must be a number`, 'it is not evaluated as Python');
  return null;
}

/** A number as Python reads it from text: an int where it is written as one. */
function numberIn(text: string): Value | undefined {
  if (!/^[-+]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(text)) return undefined;
  const number = Number(text.replaceAll('_', ''));
  return /^[-+]?[\d_]+$/.test(text) ? number : float(number);
}

function readDict({ get, what, read }: Fields, key: string): PyDict | null {
  const node = get(key);
  if (node === undefined || node.kind === 'null') return null;
  const map = read.expectMap(node, `'${key}' of ${what}`);
  if (map === undefined) return null;
  return new PyDict(read.entries(map, `'${key}' of ${what}`).map(({ name, value }) => [name, fromNode(value)]));
}

/** `env`: a mapping, whose values become text as Python's str() does, or a list of mappings of text. */
function readEnv({ get, what, read }: Fields, lazily: boolean): PyList | null {
  const node = get('env');
  if (node === undefined || node.kind === 'null') return null;
  read.strings(node, lazily);
  if (node.kind === 'map') {
    const variables = read.entries(node, `'env' of ${what}`);
    return new PyList(
      variables.map(
        ({ name, value }) =>
          new PyDict([
            ['name', name],
            ['value', str(fromNode(value))],
          ]),
      ),
    );
  }
  const list = read.expectSeq(node, `'env' of ${what}`);
  return list === undefined ? null : new PyList(list.items.map((item) => readEnvEntry(item, what, read)));
}

function readEnvEntry(item: Node, what: string, read: FileReader): PyDict {
  const label = `an element of 'env' of ${what}`;
  const map = read.expectMap(item, label) ?? EMPTY;
  return new PyDict(
    read
      .entries(map, label)
      .map(({ name, value }) => [name, read.expectString(value, `'${name}' of ${label}`, 'write it in quotes') ?? '']),
  );
}

/** `resubmit`: handlers by name, each a mapping of scalars. */
function readResubmit(fields: Fields, lazily: boolean): PyDict | null {
  const { get, what, read } = fields;
  const node = get('resubmit');
  if (node === undefined) return new PyDict();
  const map = read.expectMap(node, `'resubmit' of ${what}`) ?? EMPTY;
  for (const { name, value } of read.entries(map, `'resubmit' of ${what}`)) {
    const handler = read.expectMap(value, `'${name}' in 'resubmit' of ${what}`);
    for (const entry of handler?.entries ?? []) {
      const isScalar = entry.value.kind !== 'map' && entry.value.kind !== 'seq' && entry.value.kind !== 'date';
      if (!isScalar) read.problem(entry.value, `values in '${name}' in 'resubmit' of ${what} must be text or numbers`);
    }
  }
  read.strings(node, lazily);
  return new PyDict(
    read.entries(map, `'resubmit' of ${what}`).map(({ name, value }) => [name, readHandler(value)]),
  );
}

/** TPV takes the values of a handler for text or numbers: true is 1. */
function readHandler(node: Node): Value {
  if (node.kind !== 'map') return null;
  return new PyDict(
    node.entries.map(({ key, value }) => [
      fromNode(key),
      value.kind === 'bool' ? Number(value.value) : fromNode(value),
    ]),
  );
}
