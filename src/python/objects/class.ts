import { raise } from '../errors.ts';
import { exceptionNamed } from './exceptions.ts';
import { PyBuiltin } from './native.ts';
import { PyClass, PyObject, typeName, typeOf, types } from './object.ts';
import type { Value } from './object.ts';

/** Where the body of a class finds the class, for `super()`. */
type Cell = { cls: PyClass | undefined };

/** The class a `class` statement defines. @throws TypeError for a base that cannot be extended */
export function makeClass(
  name: string,
  bases: readonly Value[],
  body: (cell: Cell) => readonly (readonly [string, Value | undefined])[],
  annotated: readonly string[] = [],
): PyClass {
  if (bases[0] === namedTupleBase) return namedTupleOf(name, body, annotated);
  const parents = bases.map((base) => extensible(base));
  const cell: Cell = { cls: undefined };
  const entries = body(cell);
  const made = new PyClass(name, parents.length === 0 ? [types.object] : parents, { isUser: true, module: '__main__' });
  for (const [key, value] of entries) if (value !== undefined) made.dict.set(key, value);
  made.annotated = annotated;
  cell.cls = made;
  return made;
}

function extensible(base: Value): PyClass {
  if (!(base instanceof PyClass))
    return raise('TypeError', `a class can only extend classes, not '${typeName(base)}' objects`);
  const isAllowed = base === types.object || base.isUser || base.isSubclassOf(exceptionNamed('BaseException'));
  return isAllowed ? base : raise('TypeError', `extending the class '${base.name}' is not supported`);
}

/** `typing.NamedTuple`: the base that makes the class body a list of fields. */
export const namedTupleBase = new PyClass('NamedTuple', [types.tuple], { module: 'typing' });

/** How a class of named tuples is made; set by modules/namedtuple.ts, which this file cannot import. */
const maker: { make: (name: string, fields: readonly string[], defaults: readonly Value[]) => PyClass } = {
  make: (name) => raise('SystemError', `no named tuples are loaded, cannot make ${name}`),
};
export function onNamedTuple(make: typeof maker.make): void {
  maker.make = make;
}

function namedTupleOf(name: string, body: Parameters<typeof makeClass>[2], fields: readonly string[]): PyClass {
  const cell: Cell = { cls: undefined };
  const entries = new Map(body(cell));
  const first = fields.findIndex((field) => entries.get(field) !== undefined);
  const optional = first < 0 ? [] : fields.slice(first);
  const defaults = optional.map(
    (field) => entries.get(field) ?? (entries.get(field) === null ? null : noDefault(field, optional)),
  );
  const made = maker.make(name, fields, defaults);
  for (const [key, value] of entries) if (value !== undefined && !fields.includes(key)) made.dict.set(key, value);
  cell.cls = made;
  return made;
}

function noDefault(field: string, optional: readonly string[]): never {
  return raise(
    'TypeError',
    `non-default namedtuple field ${field} cannot follow default field ${optional[0] ?? ''}`,
  );
}

/** `super()`: attributes of the classes behind `cls` in the resolution order of `self`, bound to `self`. */
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
      if (found !== undefined) return found instanceof PyObject ? found.describe(this.#self, owner) : found;
    }
    return name === '__init__' ? new PyBuiltin('__init__', () => null) : undefined;
  }
}

/** `super()` inside a method. */
export function superOf(cls: PyClass | undefined, self: Value | undefined): PySuper {
  if (cls === undefined || self === undefined) return raise('RuntimeError', 'super(): no arguments');
  const fits = self instanceof PyClass ? self.isSubclassOf(cls) : typeOf(self).isSubclassOf(cls);
  return fits
    ? new PySuper(cls, self)
    : raise('TypeError', 'super(type, obj): obj must be an instance or subtype of type');
}
