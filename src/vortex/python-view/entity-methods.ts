import {
  equals,
  items,
  nativeFunction,
  PyDict,
  PyList,
  PyTuple,
  raise,
  str,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { entityClasses } from '../entity/entity-classes.ts';
import { entityFields, isDefault } from '../entity/entity-fields.ts';
import type { Field } from '../entity/entity-fields.ts';
import { METHOD_NAMES, modelFields, modelJson } from './entity-model.ts';
import { Entity } from '../entity/entity.ts';
import { incompatible } from './exceptions.ts';
import { combine, inherit, override } from '../entity/layers.ts';
import { clausesAgainst } from '../decide/match.ts';
import { NO_LIMITS } from '../entity/properties.ts';
import type { EntityKind } from '../entity/properties.ts';
import { copyValue } from '../values.ts';

/** `entity.<name>` for the methods of TPV's entities and those of pydantic. */
export function entityMethod(entity: Entity, name: string): Value | undefined {
  switch (name) {
    case 'score':
      return nativeFunction('score(entity)', (other) => entity.scoreOf(other ?? null));
    case 'matches':
      return entity.destination === null
        ? undefined
        : nativeFunction(
            'matches(entity, context)',
            (other) => clausesAgainst(entity, given(other)).length === 0,
          );
    case 'inherit':
      return nativeFunction('inherit(entity)', (other) =>
        inherit(entity, other === null ? null : given(other)),
      );
    case 'override':
      return nativeFunction('override(entity)', (other) => override(entity, given(other)));
    case 'combine':
      return nativeFunction('combine(entity)', (other) =>
        incompatible(() => combine(entity, given(other))),
      );
    case 'should_skip_qa':
      return nativeFunction('should_skip_qa(code)', (code) => skipsQa(entity, str(code ?? null)));
    case 'model_copy':
    case 'copy':
      return nativeFunction(`${name}(*, update=, deep=)`, (update) =>
        updated(entity, update ?? null),
      );
    case 'model_dump':
    case 'dict':
      return nativeFunction(`${name}(*, mode=, ${DUMPING})`, (_mode, ...how) =>
        dumpedWith(entity, true, how),
      );
    case 'model_dump_json':
    case 'json':
      return nativeFunction(`${name}(*, indent=, ${DUMPING})`, (indent = null, ...how) =>
        modelJson(dumpedWith(entity, false, how), indent),
      );
    case 'model_fields':
      return modelFields(entity);
    default:
      return undefined;
  }
}

/** What `dir(entity)` lists: its fields, and the methods of its class. */
export function entityNames(entity: Entity): readonly string[] {
  const ofDestination = entity.destination === null ? [] : ['matches', 'score', 'tpv_tags'];
  return [...entityFields(entity).map(({ name }) => name), ...METHOD_NAMES, ...ofDestination];
}

const DUMPING = 'include=, exclude=, by_alias=, exclude_unset=, exclude_defaults=, exclude_none=';

/** What `dict(entity)` iterates over: the fields, as with pydantic. */
export function entityPairs(entity: Entity): PyTuple {
  return new PyTuple(
    entityFields(entity).map(({ name, value }) => new PyTuple([name, shown(entity, name, value)])),
  );
}

/** Whether two entities are the same in class and in every field. */
export function sameEntity(a: Entity, b: Entity): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.id !== b.id) return false;
  const others = new Map(entityFields(b).map(({ name, value }) => [name, value]));
  const fields = entityFields(a);
  if (fields.length !== others.size || a.rules.size !== b.rules.size) return false;
  return fields.every(({ name, value }) => {
    if (name === 'rules')
      return [...a.rules].every(([id, rule]) => isSameRule(rule, b.rules.get(id)));
    const other = others.get(name);
    return other !== undefined && equals(value, other);
  });
}

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['scheduling', 'tpv_tags'],
  ['if', 'if_condition'],
  ['destination_name_override', 'dest_name'],
  ['tags', 'handler_tags'],
]);

const KINDS = ['rule', 'tool', 'role', 'user', 'destination', 'pool'] as const;
for (const kind of KINDS) {
  const cls = entityClasses[kind];
  cls.create = (_cls, args, kwargs) => made(kind, args, kwargs);
  cls.specials = (name) => (name === 'model_fields' ? modelFields(made(kind, [])) : undefined);
}

function given(value: Value | undefined): Entity {
  return value instanceof Entity
    ? value
    : raise('AttributeError', `${str(value ?? null)} is no entity`);
}

function skipsQa({ silenced }: Entity, code: string): boolean {
  return silenced.includes('noqa') || silenced.includes(code);
}

function updated(entity: Entity, update: Value): Entity {
  const copy = entity.deepCopy();
  if (update instanceof PyDict)
    for (const [name, value] of update.pairs()) copy.setAttribute(str(name), value);
  return copy;
}

/** The fields of an entity that the arguments of `DUMPING` keep. */
function dumpedWith(
  entity: Entity,
  usuallyByAlias: boolean,
  how: readonly (Value | undefined)[],
): PyDict {
  const [
    include = null,
    exclude = null,
    byAlias = usuallyByAlias,
    ,
    defaults = false,
    none = false,
  ] = how;
  const isKept = (field: Field): boolean => {
    if (none === true && field.value === null) return false;
    if (defaults === true && isDefault(field)) return false;
    return (
      (include === null || has(include, field.name)) &&
      (exclude === null || !has(exclude, field.name))
    );
  };
  return dumped(entity, isKept, byAlias === true);
}

/** Whether a set, list or dict holds the name. */
function has(names: Value, name: string): boolean {
  if (names instanceof PyDict) return names.get(name) !== undefined;
  return items(names).some((item) => item === name);
}

function dumped(entity: Entity, isKept: (field: Field) => boolean, byAlias: boolean): PyDict {
  return new PyDict(
    entityFields(entity)
      .filter(isKept)
      .map((field) => {
        const value =
          field.name === 'rules' ? rulesDumped(entity, isKept, byAlias) : copyValue(field.value);
        return [byAlias ? field.key : field.name, value];
      }),
  );
}

function rulesDumped(
  { rules }: Entity,
  isKept: (field: Field) => boolean,
  byAlias: boolean,
): PyDict {
  return new PyDict([...rules].map(([id, rule]) => [id, dumped(rule, isKept, byAlias)]));
}

function shown(entity: Entity, name: string, value: Value): Value {
  return entity.attribute(name) ?? value;
}

function isSameRule(rule: Entity, other: Entity | undefined): boolean {
  return other !== undefined && sameEntity(rule, other);
}

/** `Tool(id='x', cores=2, ...)`, with the keys of rule files. */
function made(
  kind: EntityKind,
  args: readonly Value[],
  kwargs: ReadonlyMap<string, Value> = new Map(),
): Entity {
  if (args.length > 0)
    raise(
      'TypeError',
      `BaseModel.__init__() takes 1 positional argument but ${args.length + 1} were given`,
    );
  const entity = new Entity(kind, '');
  if (kind === 'destination') {
    entity.destination = {
      runner: null,
      name: '',
      accepted: NO_LIMITS,
      tags: entity.tags,
      handlerTags: new PyList([]),
    };
  }
  if (kind === 'pool') entity.pool = { oversize: {}, failOpen: undefined, tags: entity.tags };
  if (kind === 'rule') entity.rule = { condition: true, execute: null, fail: null };
  for (const [name, value] of kwargs) {
    const own = ALIASES.get(name) ?? name;
    entity.setAttribute(
      own === 'tpv_tags' && (kind === 'destination' || kind === 'pool') ? 'tpv_dest_tags' : own,
      copyValue(value),
    );
  }
  if (entity.destination !== null && entity.destination.name === '')
    entity.destination.name = entity.id;
  return entity;
}
