import { raise } from '../../errors.ts';
import { abstractBase, abstractNames } from './abstract.ts';
import { exceptionNamed } from './exceptions.ts';
import { PyFunction } from './function.ts';
import { PyUnboundMethod } from './descriptors.ts';
import { PyInstance } from './instance.ts';
import { PyObject } from '../object.ts';
import { PyClass, type Cell, type ClassName } from '../class.ts';
import { typeName, typeOf, types } from '../types.ts';
import type { Kwargs, Value } from '../object.ts';
import { objectMethod } from './object-methods.ts';
import { call, items } from '../protocol.ts';

/** The class of a `class` statement. @throws TypeError for a base that cannot be extended */
export function makeClass(
  { name, qualifiedName, module = 'builtins' }: ClassName,
  bases: readonly Value[],
  body: (cell: Cell) => readonly (readonly [string, Value | undefined])[],
  annotated: readonly string[] = [],
  options: readonly (readonly [string, Value])[] = [],
): PyClass {
  const unusual = bases.find((base) => base instanceof PyClass && base.extended !== undefined);
  if (unusual instanceof PyClass && unusual.extended !== undefined)
    return unusual.extended({
      named: { name, qualifiedName, module },
      bases,
      body,
      options: new Map(options),
    });
  if (bases[0] === namedTupleBase) return namedTupleOf(name, body, annotated);
  const parents = bases.map(extensible);
  const cell: Cell = { cls: undefined };
  const entries = body(cell);
  const label = { qualifiedName, module: typeof module === 'string' ? module : 'builtins' };
  const made = new PyClass(name, parents.length === 0 ? [types.object] : parents, {
    isUser: true,
    ...label,
  });
  for (const [key, value] of entries)
    if (value !== undefined) made.dict.set(key, implied(key, value));
  // A class does not inherit a docstring.
  if (!made.dict.has('__doc__')) made.dict.set('__doc__', null);
  made.annotated = annotated;
  made.slots = settableNames(made);
  made.abstract = abstractNames(made);
  cell.cls = made;
  for (const [key, value] of made.dict)
    if (value instanceof PyInstance) value.special('__set_name__', made, key);
  initSubclass(made, new Map(options));
  return made;
}

/** Makes methods that need no decorator class methods or static methods. */
export function implied(name: string, value: Value): Value {
  if (!(value instanceof PyFunction)) return value;
  if (name === '__init_subclass__' || name === '__class_getitem__')
    return new PyUnboundMethod(types.classmethod, value);
  return name === '__new__' ? new PyUnboundMethod(types.staticmethod, value) : value;
}

/** A class as a base. @throws TypeError when it cannot be extended */
export function extensible(base: Value): PyClass {
  if (!(base instanceof PyClass))
    return raise('TypeError', `a class can only extend classes, not '${typeName(base)}' objects`);
  const isAllowed =
    base === types.object ||
    base === abstractBase ||
    base.isUser ||
    base.isSubclassOf(exceptionNamed('BaseException'));
  return isAllowed
    ? base
    : raise('TypeError', `extending the class '${base.name}' is not supported`);
}

/** The only names its instances may set; `undefined` when one of its bases has no `__slots__`. */
export function settableNames(made: PyClass): ReadonlySet<string> | undefined {
  const own = made.dict.get('__slots__');
  if (own === undefined) return undefined;
  const names = typeof own === 'string' ? [own] : items(own).map(String);
  const clash = names.find((name) => made.dict.has(name));
  if (clash !== undefined)
    raise('ValueError', `'${clash}' in __slots__ conflicts with class variable`);
  const inherited = made.bases.filter((base) => base !== types.object).map((base) => base.slots);
  if (names.includes('__dict__') || inherited.includes(undefined)) return undefined;
  return new Set([...names, ...inherited.flatMap((slots) => [...(slots ?? [])])]);
}

/** `typing.NamedTuple`: the base that makes the class body a list of fields. */
export const namedTupleBase = new PyClass('NamedTuple', [types.tuple], { module: 'typing' });

/**
 * How to make a class of named tuples; modules/namedtuple.ts, which this file cannot import, sets
 * it.
 */
const maker: {
  make: (name: string, fields: readonly string[], defaults: readonly Value[]) => PyClass;
} = { make: (name) => raise('SystemError', `no named tuples are loaded, cannot make ${name}`) };

export function onNamedTuple(make: typeof maker.make): void {
  maker.make = make;
}

/**
 * `super()`: attributes of the classes after `cls` in the resolution order of `self`, bound to
 * `self`.
 */
class PySuper extends PyObject {
  readonly #behind: PyClass;
  readonly #self: Value;

  constructor(behind: PyClass, self: Value) {
    super();
    this.#behind = behind;
    this.#self = self;
  }
  get cls(): PyClass {
    return types.super;
  }
  override readsSpecial(): boolean {
    return true;
  }
  override attribute(name: string): Value | undefined {
    const owner = this.#self instanceof PyClass ? this.#self : typeOf(this.#self);
    const rest = owner.mro.slice(owner.mro.indexOf(this.#behind) + 1);
    for (const cls of rest) {
      const found = cls.dict.get(name);
      if (found !== undefined)
        return found instanceof PyObject ? found.describe(this.#self, owner) : found;
    }
    return objectMethod(this.#self, name);
  }
}

/** `super()` inside a method. */
export function superOf(cls: PyClass | undefined, self: Value | undefined): PySuper {
  if (cls === undefined || self === undefined)
    return raise('RuntimeError', 'super(): no arguments');
  const fits = self instanceof PyClass ? self.isSubclassOf(cls) : typeOf(self).isSubclassOf(cls);
  return fits
    ? new PySuper(cls, self)
    : raise('TypeError', 'super(type, obj): obj must be an instance or subtype of type');
}

function namedTupleOf(
  name: string,
  body: Parameters<typeof makeClass>[2],
  fields: readonly string[],
): PyClass {
  const cell: Cell = { cls: undefined };
  const entries = new Map(body(cell));
  const first = fields.findIndex((field) => entries.get(field) !== undefined);
  const optional = first < 0 ? [] : fields.slice(first);
  const defaults = optional.map(
    (field) =>
      entries.get(field) ?? (entries.get(field) === null ? null : noDefault(field, optional)),
  );
  const made = maker.make(name, fields, defaults);
  for (const [key, value] of entries)
    if (value !== undefined && !fields.includes(key)) made.dict.set(key, value);
  cell.cls = made;
  return made;
}

function noDefault(field: string, optional: readonly string[]): never {
  return raise(
    'TypeError',
    `non-default namedtuple field ${field} cannot follow default field ${optional[0] ?? ''}`,
  );
}

/**
 * Calls `__init_subclass__` of the nearest base that has it.
 * @throws TypeError for unexpected keywords
 */
function initSubclass(made: PyClass, options: Kwargs): void {
  const found = made.mro.slice(1).find((cls) => cls.dict.has('__init_subclass__'));
  const method = found?.dict.get('__init_subclass__');
  const bound = method instanceof PyObject ? method.describe(made, made) : undefined;
  if (bound instanceof PyObject) call(bound, [], options);
  else if (options.size > 0)
    raise('TypeError', `${made.name}.__init_subclass__() takes no keyword arguments`);
}
