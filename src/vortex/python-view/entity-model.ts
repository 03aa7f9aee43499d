import {
  call,
  defineClass,
  getAttribute,
  PyDict,
  PyTuple,
  standardModules,
  str,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { entityFields } from '../entity/entity-fields.ts';
import type { Field } from '../entity/entity-fields.ts';
import type { Entity } from '../entity/entity.ts';

/** pydantic's description of one field. */
const fieldInfos = defineClass<Field>({
  name: 'FieldInfo',
  module: 'pydantic.fields',
  attributes: {
    default: { get: (field) => field.default },
    alias: { get: ({ name, key }) => (key === name ? null : key) },
  },
  methods: { 'is_required()': () => false },
});

/** `model_fields`: pydantic's description of the fields of a class of entities, by name. */
export function modelFields(entity: Entity): PyDict {
  const known = entityFields(entity).filter(({ name }) => !entity.extra.has(name));
  return new PyDict(known.map((field) => [field.name, fieldInfos.wrap(field)]));
}

/** A dumped entity in pydantic's JSON: without spaces, or indented. */
export function modelJson(dumped: PyDict, indent: Value): string {
  const json = standardModules.get('json');
  if (json === undefined) return str(dumped);
  const separators = new PyTuple([',', indent === null ? ':' : ': ']);
  const options = new Map<string, Value>([
    ['ensure_ascii', false],
    ['indent', indent],
    ['separators', separators],
  ]);
  return str(call(getAttribute(json, 'dumps'), [dumped], options));
}

/** What `dir` lists of an entity besides its fields. */
export const METHOD_NAMES = [
  'combine',
  'copy',
  'dict',
  'inherit',
  'json',
  'merge_order',
  'model_copy',
  'model_dump',
  'model_dump_json',
  'model_fields',
  'override',
  'should_skip_qa',
] as const;
