import { raise } from '../errors.ts';
import { KEYWORDS } from '../keywords.ts';
import { frame } from '../frame.ts';
import { namedTupleBase, onNamedTuple } from '../objects/classes/make-class.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { PyFunction } from '../objects/classes/function.ts';
import {
  defineClassMethod,
  defineGetters,
  defineMethods,
  defineVariadic,
  nativeFunction,
} from '../objects/classes/native.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { call, flag, items } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { repr, str } from '../text/repr.ts';

/** Classes of the library, which show their module. */
const ofLibrary = new WeakSet<PyClass>();

/** An instance of a named tuple class. */
class NamedTuple extends PyTuple {
  readonly #fields: readonly string[];

  constructor(elements: readonly Value[], cls: PyClass, fields: readonly string[]) {
    super(elements, cls);
    this.#fields = fields;
  }
  override repr(): string {
    const name = ofLibrary.has(this.cls) ? this.cls.label : this.cls.name;
    return `${name}(${this.pairs.map(([field, item]) => `${field}=${repr(item)}`).join(', ')})`;
  }
  get pairs(): [string, Value][] {
    return this.#fields.map((field, i) => [field, this.items[i] ?? null]);
  }
}
const NAME = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;

onNamedTuple(classOf);

/** A class of named tuples of a library module, which programs may instantiate and change. */
export function namedTupleClass(name: string, module: string, fields: readonly string[]): PyClass {
  return classOf(name, fields, [], module);
}

/** A class of named tuples that the library itself instantiates, such as `time.struct_time`. */
export function tupleClass(
  name: string,
  module: string,
  fields: readonly string[],
  showsModule = true,
): { readonly cls: PyClass; make(values: readonly Value[]): PyTuple } {
  const cls = new PyClass(name, [types.tuple], { module });
  if (showsModule) ofLibrary.add(cls);
  defineFields(cls, fields);
  return { cls, make: (values) => new NamedTuple(values, cls, fields) };
}

/** `typing.NamedTuple`, as a base or called with pairs of name and type. */
export const typedNamedTuple = namedTupleBase;
typedNamedTuple.create = (_cls, [name = null, pairs = null]) =>
  classOf(
    str(name),
    items(pairs).map((pair) => str(items(pair)[0] ?? null)),
    [],
  );

/** `collections.namedtuple`. */
export const namedtuple: Value = nativeFunction(
  'namedtuple(typename, field_names, *, rename=, defaults=, module=)',
  (name: Value, names: Value, rename, defaults, module) => {
    const asked =
      typeof names === 'string'
        ? names.split(/[\s,]+/).filter((part) => part !== '')
        : items(names).map(str);
    const fields = flag(rename) ? renamed(asked) : asked;
    const given = defaults === undefined || defaults === null ? [] : items(defaults);
    if (given.length > fields.length)
      raise('TypeError', 'Got more default values than field names');
    const shown = (module ?? null) === null ? undefined : str(module ?? null);
    return classOf(str(name), fields, given, shown, flag(rename));
  },
);

function classOf(
  name: string,
  fields: readonly string[],
  defaults: readonly Value[],
  module = frame.module,
  isRenamed = false,
): PyClass {
  checkNames(name, fields, isRenamed);
  const cls = new PyClass(name, [types.tuple], { module });
  cls.dict.set('__doc__', `${name}(${fields.join(', ')})`);
  const optional = fields.slice(fields.length - defaults.length);
  const names = ['_cls', ...fields];
  const shape = {
    names,
    positionalOnly: 1,
    positional: names.length,
    star: false,
    doubleStar: false,
  };
  const fallbacks = new Map(optional.map((field, i) => [field, defaults[i] ?? null]));
  const make = new PyFunction(
    `${name}.__new__`,
    shape,
    fallbacks,
    (_cls, ...values) => new NamedTuple(values, cls, fields),
  );
  cls.create = (_cls, args, kwargs) => make.call([cls, ...args], kwargs);
  defineFields(cls, fields);
  defineMethods(cls, NamedTuple, { '_asdict()': (self) => new PyDict(self.pairs) });
  defineVariadic(cls, NamedTuple, '_replace', (self, _args, kwargs) => {
    const strange = [...(kwargs?.keys() ?? [])].filter((field) => !fields.includes(field));
    if (strange.length > 0)
      raise('ValueError', `Got unexpected field names: ${repr(new PyList(strange))}`);
    return call(cls, [], new Map([...self.pairs, ...(kwargs ?? [])]));
  });
  defineClassMethod(cls, '_make(iterable, /)', (_cls, source: Value) => {
    const values = items(source);
    if (values.length !== fields.length)
      raise('TypeError', `Expected ${fields.length} arguments, got ${values.length}`);
    return new NamedTuple(values, cls, fields);
  });
  cls.dict.set('_fields', new PyTuple(fields));
  cls.dict.set('_field_defaults', new PyDict(fallbacks));
  return cls;
}

/** Names that cannot be those of fields become `_0`, `_1` and so on, by their place. */
function renamed(fields: readonly string[]): string[] {
  const seen = new Set<string>();
  return fields.map((field, i) => {
    const isBad =
      !NAME.test(field) || KEYWORDS.has(field) || field.startsWith('_') || seen.has(field);
    seen.add(field);
    return isBad ? `_${i}` : field;
  });
}

/** @throws ValueError for what cannot be a name of the class or of a field */
function checkNames(name: string, fields: readonly string[], isRenamed: boolean): void {
  for (const each of [name, ...fields]) {
    if (!NAME.test(each))
      raise('ValueError', `Type names and field names must be valid identifiers: ${repr(each)}`);
    if (KEYWORDS.has(each))
      raise('ValueError', `Type names and field names cannot be a keyword: ${repr(each)}`);
  }
  const seen = new Set<string>();
  for (const field of fields) {
    if (field.startsWith('_') && !isRenamed)
      raise('ValueError', `Field names cannot start with an underscore: ${repr(field)}`);
    if (seen.has(field)) raise('ValueError', `Encountered duplicate field name: ${repr(field)}`);
    seen.add(field);
  }
}

/** The fields of a class of named tuples, as attributes. */
function defineFields(cls: PyClass, fields: readonly string[]): void {
  const getters = fields.map(
    (field, i) => [field, (self: NamedTuple): Value => self.items[i] ?? null] as const,
  );
  defineGetters(cls, NamedTuple, Object.fromEntries(getters));
}
