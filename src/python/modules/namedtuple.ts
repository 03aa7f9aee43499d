import { raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { namedTupleBase, onNamedTuple } from '../objects/classes/make-class.ts';
import { PyDict } from '../objects/collections/dict.ts';
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
const FIELD = /^\p{ID_Start}\p{ID_Continue}*$/u;

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
  (name: Value, names: Value, rename, defaults) => {
    if (flag(rename)) raise('NotImplementedError', 'namedtuple() with rename is not supported');
    const fields =
      typeof names === 'string'
        ? names.split(/[\s,]+/).filter((part) => part !== '')
        : items(names).map(str);
    const given = defaults === undefined || defaults === null ? [] : items(defaults);
    if (given.length > fields.length)
      raise('TypeError', 'Got more default values than field names');
    return classOf(str(name), fields, given);
  },
);

function classOf(
  name: string,
  fields: readonly string[],
  defaults: readonly Value[],
  module = frame.module,
): PyClass {
  const bad = [name, ...fields].find(
    (field, i) => !FIELD.test(field) || (i > 0 && fields.indexOf(field) !== i - 1),
  );
  if (bad !== undefined)
    raise('ValueError', `names must be identifiers, start with a letter and differ: ${repr(bad)}`);
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
  defineVariadic(cls, NamedTuple, '_replace', (self, _args, kwargs) =>
    call(cls, [], new Map([...self.pairs, ...(kwargs ?? [])])),
  );
  defineClassMethod(cls, '_make(iterable, /)', (_cls, source: Value) => call(cls, items(source)));
  cls.dict.set('_fields', new PyTuple(fields));
  return cls;
}

/** The fields of a class of named tuples, as attributes. */
function defineFields(cls: PyClass, fields: readonly string[]): void {
  const getters = fields.map(
    (field, i) => [field, (self: NamedTuple): Value => self.items[i] ?? null] as const,
  );
  defineGetters(cls, NamedTuple, Object.fromEntries(getters));
}
