import { raise } from '../errors.ts';
import type { ClassDefinition } from './classes/class.ts';
import { linearised } from './classes/linearised.ts';

/**
 * A Python value. `null` is None. A number that is a safe integer is an int; a number with a
 * fraction or an infinity is a float; a float with an integral value, and NaN, is a PyFloat; an int
 * beyond 2^53 is a bigint (never a smaller one).
 */
export type Value = null | boolean | number | bigint | string | PyObject;

export type Kwargs = ReadonlyMap<string, Value>;
export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '//'
  | '%'
  | '**'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '@';
export type UnaryOp = '-' | '+' | '~';
export type OrderOp = '<' | '<=' | '>' | '>=';

/** What stands for a value in a hash table: equal Python values have the same key. */
export type Key = null | boolean | number | bigint | string | PyObject;

/** The protocols that a built-in value answers under a special name too. */
export type Protocol =
  | 'length'
  | 'iterate'
  | 'item'
  | 'setItem'
  | 'deleteItem'
  | 'contains'
  | 'call';

/**
 * Everything that is not a JavaScript primitive. The methods are Python's protocols
 * with the answer of a plain object; `undefined` means NotImplemented, "no such
 * attribute" or "the iterator is finished".
 */
export abstract class PyObject {
  abstract readonly cls: PyClass;

  truthy(): boolean {
    return true;
  }
  repr(): string {
    return `<${this.cls.label} object>`;
  }
  str(): string {
    return this.repr();
  }
  /** How "... has no attribute" names it. */
  title(): string {
    return `'${this.cls.told}' object`;
  }
  /** What is said of an attribute that it does not have. */
  toldWithout(name: string): string {
    return `${this.title()} has no attribute '${name}'`;
  }
  format(spec: string): string {
    return spec === ''
      ? this.str()
      : raise('TypeError', `unsupported format string passed to ${this.cls.told}.__format__`);
  }
  equals(other: Value): Value | undefined {
    return this === other ? true : undefined;
  }
  /** `self != other`: its own answer, or that of `==` turned around. */
  unequal(_other: Value): Value | undefined {
    return undefined;
  }
  order(_op: OrderOp, _other: Value): Value | undefined {
    return undefined;
  }
  key(): Key {
    return this;
  }
  /** What `copy.copy`, or `copy.deepcopy`, makes of it; `undefined` for what is its own copy. */
  duplicate(_isDeep: boolean): PyObject | undefined {
    return undefined;
  }
  /**
   * CPython's own hash, when it is the same in every run; that of texts and of most objects is not.
   */
  steadyHash(): bigint | undefined {
    return undefined;
  }
  /**
   * The int, float or str that it is besides being of a class of its own: an `IntEnum`'s member.
   */
  get underlying(): Value | undefined {
    return undefined;
  }
  /**
   * Whether its class says itself what it hashes as, so that values of other classes may equal it.
   */
  ownsHash(): boolean {
    return false;
  }
  /** Whether this `__x__` name may be read with a dot; most lead nowhere. */
  readsSpecial(_name: string): boolean {
    return false;
  }
  /** Whether it has an answer of its own to a protocol. */
  supports(protocol: Protocol): boolean {
    return this[protocol] !== PyObject.prototype[protocol];
  }
  /** Whether this `__x__` name may be set with a dot; hardly any can. */
  writesSpecial(_name: string): boolean {
    return false;
  }
  /** What has been set on the object itself, by name. */
  ownAttributes(): Iterable<readonly [string, Value]> {
    return [];
  }
  attribute(name: string): Value | undefined {
    return this.cls.lookupFor(this, name);
  }
  /** Names that `dir` lists besides those of its class. */
  names(): readonly string[] {
    return [];
  }
  setAttribute(name: string, _value: Value): void {
    if (this.cls.lookup(name) === undefined) {
      raise('AttributeError', `'${this.cls.told}' object has no attribute '${name}'`);
    }
    raise('AttributeError', `'${this.cls.told}' object attribute '${name}' is read-only`);
  }
  deleteAttribute(name: string): void {
    raise('AttributeError', `'${this.cls.told}' object has no attribute '${name}'`);
  }
  call(_args: readonly Value[], _kwargs?: Kwargs): Value {
    return raise('TypeError', `'${this.cls.told}' object is not callable`);
  }
  iterate(): PyIterator {
    return raise('TypeError', `'${this.cls.told}' object is not iterable`);
  }
  /** What `reversed` goes through; `undefined` when it has no way of its own. */
  reversed(): PyIterator | undefined {
    return undefined;
  }
  /** The int it stands for as an index (`__index__`); `undefined` when it is none. */
  index(): number | bigint | undefined {
    return undefined;
  }
  /** The float it stands for (`__float__`); `undefined` when it is none. */
  real(): number | undefined {
    return undefined;
  }
  length(): number {
    return raise('TypeError', `object of type '${this.cls.told}' has no len()`);
  }
  item(_key: Value): Value {
    return raise('TypeError', `'${this.cls.told}' object is not subscriptable`);
  }
  setItem(_key: Value, _value: Value): void {
    raise('TypeError', `'${this.cls.told}' object does not support item assignment`);
  }
  deleteItem(_key: Value): void {
    raise('TypeError', `'${this.cls.told}' object doesn't support item deletion`);
  }
  /** `undefined`: no test of its own, look through the iteration. */
  contains(_item: Value): boolean | undefined {
    return undefined;
  }
  binary(_op: BinaryOp, _right: Value): Value | undefined {
    return undefined;
  }
  reflected(_op: BinaryOp, _left: Value): Value | undefined {
    return undefined;
  }
  inplace(_op: BinaryOp, _right: Value): Value | undefined {
    return undefined;
  }
  unary(_op: UnaryOp): Value | undefined {
    return undefined;
  }
  /**
   * What an instance attribute lookup that finds this object in a class gives:
   * methods bind, properties compute.
   */
  describe(_self: Value, _cls: PyClass): Value {
    return this;
  }
}

/** An iterator: `next` gives the next value or `undefined` at the end. */
export abstract class PyIterator extends PyObject {
  abstract next(): Value | undefined;
  override iterate(): PyIterator {
    return this;
  }
}

type Generic = {
  union(left: Value, right: Value): Value | undefined;
  alias(origin: PyClass, parameters: Value): Value;
};
const generic: Generic = { union: () => undefined, alias: (origin) => origin };

/**
 * objects/generic.ts says here what `int | None` and `list[int]` are, which are objects themselves.
 */
export function onGeneric(how: Generic): void {
  Object.assign(generic, how);
}

/** Makes the bare instance of a class, before `__init__`. */
export type Create = (cls: PyClass, args: readonly Value[], kwargs?: Kwargs) => Value;

/**
 * A class. `dict` is the explicit table of what its instances have; no
 * JavaScript property is ever looked up.
 */
export class PyClass extends PyObject {
  readonly name: string;
  readonly mro: readonly PyClass[];
  readonly bases: readonly PyClass[];
  readonly dict = new Map<string, Value>();
  /** Names that the class body annotates, in order: the fields of a data class. */
  annotated: readonly string[] = [];
  /**
   * Special methods that may be read from the class itself, besides those that a snippet defines.
   */
  specials: ((name: string) => Value | undefined) | undefined;
  /** The only names its instances may set (`__slots__`); `undefined` for any. */
  slots: ReadonlySet<string> | undefined;
  /** Dotted name with its module, as `repr` shows it. */
  readonly label: string;
  /** How error texts call it (`tp_name`): with its module when CPython has the class in C. */
  readonly told: string;
  readonly qualifiedName: string;
  /**
   * How a `class` statement makes a class of which this one is a base,
   * when that is no ordinary class.
   */
  extended: ((definition: ClassDefinition) => PyClass) | undefined;
  create: Create;
  /** Defined by a snippet: its special methods are looked up when an operator meets an instance. */
  readonly isUser: boolean;

  constructor(
    name: string,
    bases: readonly PyClass[],
    options: { module?: string; qualifiedName?: string; create?: Create; isUser?: boolean } = {},
  ) {
    super();
    this.name = name;
    this.qualifiedName = options.qualifiedName ?? name;
    const isPlain =
      options.module === undefined || (options.isUser === true && options.module === 'builtins');
    this.label = isPlain ? this.qualifiedName : `${options.module ?? ''}.${this.qualifiedName}`;
    this.told = IN_C.test(this.label) ? this.label : name;
    this.bases = bases;
    this.mro = [this, ...linearised(name, bases)];
    this.isUser = options.isUser ?? false;
    this.create =
      options.create ??
      bases[0]?.create ??
      ((cls) => raise('TypeError', `cannot create '${cls.name}' instances`));
  }

  get cls(): PyClass {
    return types.type;
  }
  override repr(): string {
    return `<class '${this.label}'>`;
  }
  override title(): string {
    return `type object '${this.name}'`;
  }
  isSubclassOf(other: PyClass): boolean {
    return this.mro.includes(other);
  }
  /** The entry of the first class in resolution order that has one. */
  lookup(name: string): Value | undefined {
    for (const cls of this.mro) {
      const found = cls.dict.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  /** The attribute `name` of an instance, bound to it. */
  lookupFor(self: Value, name: string): Value | undefined {
    const found = this.lookup(name);
    return found instanceof PyObject ? found.describe(self, this) : found;
  }
  override attribute(name: string): Value | undefined {
    if (name === '__name__') return this.name;
    if (name === '__qualname__') return this.qualifiedName;
    const found = this.lookup(name);
    return found instanceof PyObject
      ? found.describe(null, this)
      : (found ?? (found === null ? null : this.specials?.(name)));
  }
  /** Whether a snippet's class among its ancestors has an entry of this name. */
  definesSpecial(name: string): boolean {
    return this.mro.some((cls) => cls.isUser && cls.dict.has(name));
  }
  override readsSpecial(name: string): boolean {
    return this.specials?.(name) !== undefined || this.definesSpecial(name);
  }
  override setAttribute(name: string, value: Value): void {
    if (!this.isUser)
      raise('TypeError', `cannot set '${name}' attribute of immutable type '${this.name}'`);
    this.dict.set(name, value);
  }
  override deleteAttribute(name: string): void {
    if (!this.isUser || !this.dict.delete(name))
      raise('AttributeError', `type object '${this.name}' has no attribute '${name}'`);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    if (kwargs !== undefined && kwargs.size > 0 && WITHOUT_KEYWORDS.has(this))
      raise('TypeError', `${this.name}() takes no keyword arguments`);
    const maker = this.isUser ? this.lookupFor(null, '__new__') : undefined;
    const made =
      maker instanceof PyObject
        ? maker.call([this, ...args], kwargs)
        : this.create(this, args, kwargs);
    const init =
      this.isUser && made instanceof PyObject && made.cls.isSubclassOf(this)
        ? this.lookupFor(made, '__init__')
        : undefined;
    if (init instanceof PyObject && init.call(args, kwargs) !== null)
      raise('TypeError', '__init__() should return None');
    return made;
  }
  /** `list[int]`, as annotations write it: the parameters mean nothing at run time. */
  override item(key: Value): Value {
    const own = this.isUser ? this.lookupFor(null, '__class_getitem__') : undefined;
    if (own instanceof PyObject) return own.call([key]);
    return this.isUser || !subscriptable.has(this.name)
      ? raise('TypeError', `type '${this.told}' is not subscriptable`)
      : generic.alias(this, key);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return op === '|' ? generic.union(this, right) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '|' ? generic.union(left, this) : undefined;
  }
}

const subscriptable = new Set([
  'list',
  'dict',
  'tuple',
  'set',
  'frozenset',
  'type',
  'defaultdict',
  'deque',
  'Counter',
  'OrderedDict',
  'ChainMap',
  'Pattern',
  'Match',
  'chain',
  'partial',
  'enumerate',
]);

const IN_C =
  /^(?:datetime|itertools|functools|re|collections|decimal(?=\.Decimal$|\.Context$))\.(?!Counter$|ChainMap$|K$)/;

const object = new PyClass('object', [], {
  create: (cls) => raise('TypeError', `cannot create '${cls.name}' instances`),
});
const int = plain('int');

/** The classes of the built-in values. Their methods are added by the file of each. */
export const types = {
  object,
  int,
  type: plain('type'),
  bool: new PyClass('bool', [int]),
  float: plain('float'),
  str: plain('str'),
  list: plain('list'),
  tuple: plain('tuple'),
  dict: plain('dict'),
  set: plain('set'),
  frozenset: plain('frozenset'),
  range: plain('range'),
  slice: plain('slice'),
  function: plain('function'),
  builtin: plain('builtin_function_or_method'),
  method: plain('method'),
  generator: plain('generator'),
  module: plain('module'),
  property: plain('property'),
  staticmethod: plain('staticmethod'),
  classmethod: plain('classmethod'),
  super: plain('super'),
  ellipsis: plain('ellipsis'),
  NoneType: plain('NoneType'),
  NotImplementedType: plain('NotImplementedType'),
  UnionType: plain('UnionType', 'types'),
  GenericAlias: plain('GenericAlias', 'types'),
} as const;

const WITHOUT_KEYWORDS: ReadonlySet<PyClass> = new Set([
  types.bool,
  types.float,
  types.list,
  types.tuple,
  types.set,
  types.frozenset,
  types.range,
  types.slice,
]);

/** The class of any value. */
export function typeOf(value: Value): PyClass {
  if (value === null) return types.NoneType;
  if (value instanceof PyObject) return value.cls;
  switch (typeof value) {
    case 'string':
      return types.str;
    case 'boolean':
      return types.bool;
    case 'bigint':
      return types.int;
    case 'number':
      return Number.isInteger(value) ? types.int : types.float;
    default:
      return value satisfies never;
  }
}

/** The class name of a value, as error texts use it. */
export function typeName(value: Value): string {
  return typeOf(value).told;
}

/** A str, or what is one besides being of a class of its own; `undefined` for anything else. */
export function asText(v: Value | undefined): string | undefined {
  if (typeof v === 'string') return v;
  const own = v instanceof PyObject ? v.underlying : undefined;
  return typeof own === 'string' ? own : undefined;
}

function plain(name: string, module?: string): PyClass {
  return new PyClass(name, [object], module === undefined ? {} : { module });
}
