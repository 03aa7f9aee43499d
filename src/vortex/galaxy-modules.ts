import { defineClass, nativeFunction, PyDict, PyList, PyModule, PyTuple, raise, repr, standardModules, truthy } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import { galaxyExceptions } from './exceptions.ts';
import { galaxyModel } from './jobs/query.ts';

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'on', 'y', 't', '1']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'off', 'n', 'f', '0']);

/** `galaxy.util.asbool`, by which Galaxy reads its options. */
function asBool(value: Value): boolean {
  if (typeof value !== 'string') return truthy(value);
  const word = value.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : raise('ValueError', `String is not true/false: ${repr(word)}`);
}

/** `galaxy.util.listify`: a list as it is, text by its commas, anything else as the only item. */
function listed(item: Value, strips: boolean): Value {
  if (!truthy(item)) return new PyList([]);
  if (item instanceof PyList) return item;
  if (item instanceof PyTuple) return new PyList([...item.items]);
  if (typeof item !== 'string') return new PyList([item]);
  return new PyList(item.split(',').map((part) => (strips ? part.trim() : part)));
}

const destinationFields = (): readonly (readonly [string, Value])[] => [
  ...['id', 'runner', 'url', 'shell', 'tags'].map((name) => [name, null] as const),
  ['legacy', false],
  ['converted', false],
  ['env', new PyList([])],
  ['params', new PyDict()],
  ['resubmit', new PyList([])],
];

/** Where a job goes, for rules that make one themselves. */
const destinations = defineClass<ReadonlyMap<string, Value>>({
  name: 'JobDestination',
  module: 'galaxy.jobs',
  fallback: (fields, name) => fields.get(name),
  construct: (_args, kwargs = new Map()) => new Map([...destinationFields(), ...kwargs]),
});

const mapper = new PyModule('galaxy.jobs.mapper', [
  ['JobMappingException', galaxyExceptions.JobMappingException],
  ['JobNotReadyException', galaxyExceptions.JobNotReadyException],
]);
const jobs = new PyModule('galaxy.jobs', [
  ['mapper', mapper],
  ['JobDestination', destinations.cls],
]);
const util = new PyModule('galaxy.util', [
  ['asbool', nativeFunction('asbool(obj)', (value = null) => asBool(value))],
  ['listify', nativeFunction('listify(item, do_strip=)', (item = null, strips = false) => listed(item, strips === true))],
]);

const packaging = standardModules.get('packaging.version');
const version = new PyModule('galaxy.tool_util.version', [
  ['parse_version', packaging instanceof PyModule ? (packaging.members.get('parse') ?? null) : null],
]);
const toolUtil = new PyModule('galaxy.tool_util', [['version', version]]);

/** What rules import of Galaxy that is the same for all jobs. */
export const galaxyModules: readonly PyModule[] = [mapper, jobs, util, toolUtil, version, galaxyModel];
