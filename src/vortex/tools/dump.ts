import { PyDict, PyList, str } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { emitYaml } from './yaml/emit.ts';
import type { ConfigFile } from '../file/config-file.ts';
import { unordered } from '../file/spelled.ts';
import { entityFields, isDefault } from '../entity/entity-fields.ts';
import type { Field } from '../entity/entity-fields.ts';
import type { Entity } from '../entity/entity.ts';
import type { Entities } from '../file/merge.ts';
import { documentOf } from './to-yaml.ts';

const LINE = '='.repeat(72);

/**
 * The merged configuration as `tpv dump` prints it. `sources` are the
 * names of the files, in load order.
 */
export function dumpText(config: ConfigFile, sources: readonly string[]): string {
  if (sources.length === 0) return '';
  const numbered = sources.map((source, index) => `  ${index + 1}. ${source}`);
  const context = config.context?.pairs() ?? [];
  return [
    LINE,
    'TPV MERGED CONFIGURATION',
    'Sources (in load order):',
    ...numbered,
    LINE,
    '',
    '--- Global ---',
    ...((config.defaultInherits ?? '') === ''
      ? []
      : [`  default_inherits: ${config.defaultInherits}`]),
    ...(context.length === 0
      ? []
      : [
          '  context:',
          ...context.map(([key, value]) => `    ${str(key)}: ${str(unordered(value))}`),
        ]),
    '',
    ...section('Tools', config.tools),
    ...section('Users', config.users),
    ...section('Roles', config.roles),
    ...section('Destinations', config.destinations),
    ...section('Pools', config.pools),
    `${LINE}\n`,
  ].join('\n');
}

/** The merged configuration with every field, by the names in TPV's own code. */
export function dumpYaml(config: ConfigFile, sources: readonly string[]): string {
  if (sources.length === 0) return '';
  const global: [string, Value][] = [
    ['default_inherits', config.defaultInherits],
    ['context', config.context ?? new PyDict()],
    ['resource_pool_store', storeOf(config.store)],
    ...config.extra.global.map(([key, value]): [string, Value] => [key, value]),
  ];
  const data = new PyDict([
    ['global_config', new PyDict(global)],
    ['tools', entitiesOf(config.tools)],
    ['users', entitiesOf(config.users)],
    ['roles', entitiesOf(config.roles)],
    ['destinations', entitiesOf(config.destinations)],
    ['pools', entitiesOf(config.pools)],
    ...config.extra.root.map(([key, value]): [string, Value] => [key, value]),
    ['_sources', new PyList([...sources])],
  ]);
  return emitYaml(documentOf(data, { inBlocks: true }));
}

function section(title: string, entities: Entities): readonly string[] {
  if (entities.size === 0) return [];
  return [
    `--- ${title} ---`,
    ...[...entities].flatMap(([id, entity]) => [...entityLines(id, entity), '']),
  ];
}

function entityLines(id: string, entity: Entity): readonly string[] {
  const lines = [`  ${id}${entity.abstract ? ' (abstract)' : ''}:`];
  for (const field of entityFields(entity)) {
    if (isDefault(field) || field.name === 'id' || field.name === 'abstract') continue;
    if (field.key === 'destination_name_override' && field.value === id) continue;
    if (field.key === 'scheduling') lines.push(...schedulingLine(field.value));
    else if (field.name === 'rules')
      lines.push('    rules:', ...[...entity.rules].flatMap(([key, rule]) => ruleLines(key, rule)));
    else
      lines.push(
        ...valueLines(field.key, field.key === 'oversize' ? setOf(field) : field.value, '    '),
      );
  }
  return lines;
}

function schedulingLine(tags: Value): readonly string[] {
  const pairs = tags instanceof PyDict ? tags.pairs() : [];
  const set = pairs.filter(([, list]) => list instanceof PyList && list.items.length > 0);
  return set.length === 0
    ? []
    : [`    scheduling: ${set.map(([type, list]) => `${str(type)}=${str(list)}`).join(', ')}`];
}

function ruleLines(id: string, rule: Entity): readonly string[] {
  const condition = rule.rule?.condition ?? '';
  const text = condition === false ? '' : str(condition);
  const isShort = text !== '' && !text.includes('\n');
  const head = isShort
    ? [`      ${id} [if: ${text}]`]
    : [`      ${id}`, ...(text === '' ? [] : valueLines('if', text, '        '))];
  const effects = entityFields(rule).filter(
    (field) => !isDefault(field) && field.key !== 'id' && field.key !== 'if',
  );
  return [
    ...head,
    ...effects.flatMap(({ key, value }) =>
      valueLines(key, withoutDefaults(value, key), '        '),
    ),
  ];
}

function valueLines(key: string, value: Value, indent: string): readonly string[] {
  const text = str(value);
  if (!text.includes('\n')) return [`${indent}${key}: ${text}`];
  const lines = text.endsWith('\n') ? text.slice(0, -1).split('\n') : text.split('\n');
  return [`${indent}${key}: |`, ...lines.map((line) => `${indent}  ${line}`)];
}

/** The lists of a rule's tags that are not empty, and those that the file sets to null. */
function withoutDefaults(value: Value, key: string): Value {
  if (key !== 'scheduling' || !(value instanceof PyDict)) return value;
  return new PyDict(
    value.pairs().filter(([, list]) => !(list instanceof PyList && list.items.length === 0)),
  );
}

/** The fields of a pool's `oversize` that differ from their defaults. */
function setOf({ value, default: fallback }: Field): Value {
  if (!(value instanceof PyDict) || !(fallback instanceof PyDict)) return value;
  return new PyDict(value.pairs().filter(([key, own]) => own !== fallback.get(key)));
}

function storeOf(store: ConfigFile['store']): Value {
  return store === null ? null : new PyDict([['store_class', store.class], ...store.options]);
}

function entitiesOf(entities: ReadonlyMap<string, Entity>): PyDict {
  return new PyDict(
    [...entities].map(([id, entity]) => [
      id,
      new PyDict(entityFields(entity).map(fieldOf(entity))),
    ]),
  );
}

function fieldOf(entity: Entity) {
  return ({ name, value }: Field): [string, Value] =>
    name === 'rules' ? [name, entitiesOf(entity.rules)] : [name, value];
}
