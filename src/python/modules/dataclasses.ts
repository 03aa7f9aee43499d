import { PyError, raise } from '../errors.ts';
import { eq, orderItems, truthy } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/classes/exceptions.ts';
import { PyFunction } from '../objects/classes/function.ts';
import { PyInstance, notImplemented } from '../objects/classes/instance.ts';
import { hash } from '../objects/numbers/hash-of.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { PyBuiltin, nativeFunction } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Kwargs, OrderOp, Value } from '../objects/object.ts';
import { call, catching, getAttribute } from '../objects/protocol.ts';
import { deepCopy } from './copy.ts';
import { dataclassDoc } from './dataclass-doc.ts';
import type { DocParameter } from './dataclass-doc.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { repr, reprInside } from '../text/repr.ts';

const frozenError = exceptionClass(
  'FrozenInstanceError',
  exceptionNamed('AttributeError'),
  'dataclasses',
);
const fieldClass = new PyClass('Field', [types.object], { module: 'dataclasses' });

/** One field: how its value comes to be, and what it takes part in. */
class Field extends PyObject {
  readonly options: Kwargs;
  name = '';
  /** What the class body says that it holds. */
  type: Value | undefined;

  constructor(options: Kwargs) {
    super();
    this.options = options;
  }
  get cls(): PyClass {
    return fieldClass;
  }
  is(option: string): boolean {
    return truthy(this.options.get(option) ?? true);
  }
  get hasDefault(): boolean {
    return this.options.has('default') || this.options.has('default_factory');
  }
  override attribute(name: string): Value | undefined {
    if (name === 'name') return this.name;
    return name === 'type' ? this.type : this.options.get(name);
  }
  /** As a parameter of `__init__`. */
  get documented(): Omit<DocParameter, 'isKeyword'> {
    const value = this.options.get('default');
    const fallback =
      value === undefined
        ? this.options.has('default_factory')
          ? ('factory' as const)
          : undefined
        : { value };
    return { name: this.name, annotation: this.type, fallback };
  }
}

/** The fields of every class the decorator has seen. */
const known = new WeakMap<PyClass, readonly Field[]>();

const UNSET: Value = new PyBuiltin('MISSING', () => null);

const OPTIONS = new Set(
  'init repr eq order frozen kw_only slots unsafe_hash match_args'.split(' '),
);

/** The module `dataclasses`. */
export const dataclasses = moduleOf('dataclasses', {
  dataclass: new PyBuiltin('dataclass', ([cls], kwargs) => {
    const options = kwargs ?? new Map<string, Value>();
    if (cls !== undefined && cls !== null) return decorated(cls, options);
    return nativeFunction('dataclass(cls, /)', (later: Value) => decorated(later, options));
  }),
  field: new PyBuiltin('field', (args, kwargs) => {
    if (args.length > 0) raise('TypeError', 'field() takes 0 positional arguments');
    if (kwargs?.has('default') === true && kwargs.has('default_factory'))
      raise('ValueError', 'cannot specify both default and default_factory');
    return new Field(kwargs ?? new Map());
  }),
  fields: nativeFunction('fields(class_or_instance)', (v: Value) => new PyTuple(fieldsOf(v))),
  asdict: nativeFunction('asdict(obj)', (v: Value) => instancePlain(v, 'asdict', true)),
  astuple: nativeFunction('astuple(obj)', (v: Value) => instancePlain(v, 'astuple', false)),
  is_dataclass: nativeFunction('is_dataclass(obj)', (v: Value) => {
    const cls = v instanceof PyClass ? v : v instanceof PyObject ? v.cls : undefined;
    return cls?.mro.some((each) => known.has(each)) ?? false;
  }),
  replace: new PyBuiltin('replace', ([v = null], kwargs) => {
    const own = fieldsOf(v).filter((field) => field.is('init'));
    const values = own.map((field) => [field.name, getAttribute(v, field.name)] as const);
    return v instanceof PyInstance
      ? call(v.cls, [], new Map([...values, ...(kwargs ?? [])]))
      : null;
  }),
  FrozenInstanceError: frozenError,
});

/** `functools.total_ordering`: the missing order methods from one of them and `__eq__`. */
export function totalOrdering(cls: Value): Value {
  if (!(cls instanceof PyClass)) return raise('TypeError', 'total_ordering() needs a class');
  const has = (name: string): boolean => cls.lookup(name) !== undefined;
  const root = ['__lt__', '__le__', '__gt__', '__ge__'].find(has);
  if (root === undefined)
    return raise('ValueError', 'must define at least one ordering operation: < > <= >=');
  const ask = (self: Value, other: Value): Value | undefined =>
    self instanceof PyInstance ? self.operator(root, other) : undefined;
  const wants: Readonly<Record<string, (self: Value, other: Value, holds: boolean) => boolean>> = {
    __lt__: (a, b, holds) =>
      root === '__le__'
        ? holds && !truthy(eq(a, b))
        : !holds && (root === '__ge__' || !truthy(eq(a, b))),
    __gt__: (a, b, holds) =>
      root === '__ge__'
        ? holds && !truthy(eq(a, b))
        : !holds && (root === '__le__' || !truthy(eq(a, b))),
    __le__: (a, b, holds) =>
      root === '__lt__'
        ? holds || truthy(eq(a, b))
        : root === '__gt__'
          ? !holds
          : !holds || truthy(eq(a, b)),
    __ge__: (a, b, holds) =>
      root === '__gt__'
        ? holds || truthy(eq(a, b))
        : root === '__lt__'
          ? !holds
          : !holds || truthy(eq(a, b)),
  };
  for (const [name, decide] of Object.entries(wants)) {
    if (has(name)) continue;
    method(cls, name, ['self', 'other'], (self = null, other = null) => {
      const answer = ask(self, other);
      return answer === undefined ? notImplemented : decide(self, other, truthy(answer));
    });
  }
  return cls;
}

function method(
  cls: PyClass,
  name: string,
  params: readonly string[],
  body: (...args: Value[]) => Value,
): void {
  if (cls.dict.has(name)) return;
  const shape = {
    names: params,
    positionalOnly: 0,
    positional: params.length,
    star: false,
    doubleStar: false,
  };
  cls.dict.set(name, new PyFunction(`${cls.name}.${name}`, shape, new Map(), body));
}

function decorated(cls: Value, options: Kwargs): Value {
  if (!(cls instanceof PyClass))
    return raise('TypeError', `dataclass() needs a class, not ${typeName(cls)}`);
  const strange = [...options.keys()].find((name) => !OPTIONS.has(name));
  if (strange !== undefined)
    raise('TypeError', `dataclass() got an unexpected keyword argument '${strange}'`);
  if (truthy(options.get('unsafe_hash') ?? false))
    raise('NotImplementedError', 'dataclass(unsafe_hash=True) is not supported');
  const has = (name: string, absent: boolean): boolean => truthy(options.get(name) ?? absent);
  const fields = collected(cls);
  known.set(cls, fields);
  if (has('init', true)) addInit(cls, fields, has('kw_only', false));
  if (has('repr', true))
    method(cls, '__repr__', ['self'], (self = null) => {
      const shown = fields.filter((field) => field.is('repr'));
      const text = (): string => {
        const values = shown.map(({ name }) => `${name}=${repr(getAttribute(self, name))}`);
        return `${typeName(self)}(${values.join(', ')})`;
      };
      return self instanceof PyObject ? reprInside(self, '...', text) : text();
    });
  if (has('order', false) && !has('eq', true))
    raise('ValueError', 'eq must be true if order is true');
  if (has('eq', true)) addComparisons(cls, fields, has('order', false));
  if (has('frozen', false)) freeze(cls, fields);
  return cls;
}

/** The fields of a class body, those of its bases first; a field given again keeps its place. */
function collected(cls: PyClass): Field[] {
  const all = new Map<string, Field>();
  for (const base of [...cls.mro].reverse())
    for (const field of known.get(base) ?? []) all.set(field.name, field);
  const annotations = cls.dict.get('__annotations__');
  for (const name of cls.annotated) {
    const value = cls.dict.get(name);
    const field =
      value instanceof Field
        ? value
        : new Field(new Map(value === undefined ? [] : [['default', value]]));
    const fallback = field.options.get('default');
    if (fallback instanceof PyObject && isUnhashable(fallback))
      raise(
        'ValueError',
        `mutable default ${repr(fallback.cls)} for field ${name} is not allowed: use default_factory`,
      );
    if (value instanceof Field) cls.dict.delete(name);
    if (fallback !== undefined) cls.dict.set(name, fallback);
    field.name = name;
    field.type = annotations instanceof PyDict ? annotations.get(name) : undefined;
    all.set(name, field);
  }
  return [...all.values()];
}

/** Whether no value of its class has a hash; what is inside a tuple does not matter. */
function isUnhashable(v: PyObject): boolean {
  return !(v instanceof PyTuple) && catching(['TypeError'], () => v.key()) === undefined;
}

function addInit(cls: PyClass, fields: readonly Field[], keywordOnly: boolean): void {
  const given = fields.filter((field) => field.is('init'));
  const isKeyword = (field: Field): boolean => truthy(field.options.get('kw_only') ?? keywordOnly);
  const ordered = [...given.filter((field) => !isKeyword(field)), ...given.filter(isKeyword)];
  const positional = given.filter((field) => !isKeyword(field));
  const late = positional.find(
    (field, i) => !field.hasDefault && positional.slice(0, i).some((f) => f.hasDefault),
  );
  if (late !== undefined)
    raise('TypeError', `non-default argument '${late.name}' follows default argument`);
  const names = ['self', ...ordered.map((field) => field.name)];
  const shape = {
    names,
    positionalOnly: 0,
    positional: 1 + positional.length,
    star: false,
    doubleStar: false,
  };
  const defaults = new Map(
    ordered.flatMap((field) => (field.hasDefault ? [[field.name, UNSET] as const] : [])),
  );
  const init = new PyFunction(`${cls.name}.__init__`, shape, defaults, (self = null, ...values) => {
    if (!(self instanceof PyInstance)) return null;
    for (const field of fields) {
      const value = values[ordered.indexOf(field)];
      const factory = field.options.get('default_factory');
      const fallback = (): Value | undefined =>
        factory === undefined ? field.options.get('default') : call(factory, []);
      const own = value === undefined || value === UNSET ? fallback() : value;
      if (own !== undefined) self.attributes.set(field.name, own);
    }
    const after = self.cls.lookupFor(self, '__post_init__');
    if (after instanceof PyObject) after.call([]);
    return null;
  });
  if (cls.dict.has('__init__')) return;
  cls.dict.set('__init__', init);
  if ((cls.dict.get('__doc__') ?? null) !== null) return;
  const parameters = ordered.map((field) => ({ ...field.documented, isKeyword: isKeyword(field) }));
  cls.dict.set('__doc__', dataclassDoc(cls.name, parameters));
}

function addComparisons(cls: PyClass, fields: readonly Field[], ordered: boolean): void {
  const compared = fields.filter((field) => field.is('compare'));
  const sameClass = (a: Value, b: Value): boolean =>
    a instanceof PyInstance && b instanceof PyInstance && a.cls === b.cls;
  method(cls, '__eq__', ['self', 'other'], (self = null, other = null) =>
    sameClass(self, other)
      ? eq(new PyTuple(valuesOf(self, compared)), new PyTuple(valuesOf(other, compared)))
      : notImplemented,
  );
  const orders: readonly (readonly [string, OrderOp])[] = [
    ['__lt__', '<'],
    ['__le__', '<='],
    ['__gt__', '>'],
    ['__ge__', '>='],
  ];
  for (const [name, op] of ordered ? orders : [])
    method(cls, name, ['self', 'other'], (self = null, other = null) =>
      sameClass(self, other)
        ? orderItems(op, valuesOf(self, compared), valuesOf(other, compared))
        : notImplemented,
    );
}

function valuesOf(self: Value, fields: readonly Field[]): Value[] {
  return fields.map((field) => getAttribute(self, field.name));
}

function freeze(cls: PyClass, fields: readonly Field[]): void {
  const refuse =
    (verb: string) =>
    (_self: Value, name: Value): never => {
      const text = `cannot ${verb} field ${repr(name)}`;
      throw new PyError('FrozenInstanceError', [text], text, new PyException(frozenError, [text]));
    };
  method(cls, '__setattr__', ['self', 'name', 'value'], refuse('assign to'));
  method(cls, '__hash__', ['self'], (self = null) => hash(new PyTuple(valuesOf(self, fields))));
}

function instancePlain(v: Value, name: string, asDict: boolean): Value {
  if (!(v instanceof PyInstance) || !v.cls.mro.some((cls) => known.has(cls)))
    raise('TypeError', `${name}() should be called on dataclass instances`);
  return plain(v, asDict);
}

/** `asdict` and `astuple` go into lists, tuples, dicts and other data classes. */
function plain(v: Value, asDict: boolean): Value {
  if (v instanceof PyInstance && v.cls.mro.some((cls) => known.has(cls))) {
    const fields = fieldsOf(v);
    const values = valuesOf(v, fields).map((value) => plain(value, asDict));
    return asDict
      ? new PyDict(fields.map((field, i) => [field.name, values[i] ?? null] as const))
      : new PyTuple(values);
  }
  if (v instanceof PyList) return new PyList(v.items.map((item) => plain(item, asDict)));
  if (v instanceof PyTuple) return new PyTuple(v.items.map((item) => plain(item, asDict)));
  // It is made anew of pairs alone there.
  if (v instanceof PyDict && v.cls.name === 'defaultdict')
    raise('TypeError', 'first argument must be callable or None');
  if (v instanceof PyDict)
    return new PyDict(
      v.pairs().map(([key, value]) => [plain(key, asDict), plain(value, asDict)] as const),
    );
  return deepCopy(v);
}

function fieldsOf(v: Value): readonly Field[] {
  const cls = v instanceof PyClass ? v : v instanceof PyObject ? v.cls : undefined;
  const found = cls?.mro.map((each) => known.get(each)).find((fields) => fields !== undefined);
  return found ?? raise('TypeError', 'must be called with a dataclass type or instance');
}
