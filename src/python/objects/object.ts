import { raise } from '../errors.ts';
import type { PyClass } from './class.ts';

/**
 * A Python value. `null` is None. A safe integer is an int; a number with a fraction, or an
 * infinity, is a float; a float with an integral value, and NaN, is a PyFloat; an int beyond 2^53
 * is a bigint, and no smaller int is.
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

/** A value in a hash table: equal Python values have the same key. */
export type Key = null | boolean | number | bigint | string | PyObject;

/** The protocols that a built-in value also offers under a special name. */
export type Protocol =
  | 'length'
  | 'iterate'
  | 'item'
  | 'setItem'
  | 'deleteItem'
  | 'contains'
  | 'call';

/**
 * Every value that is not a JavaScript primitive. The methods are Python's protocols with the
 * behaviour of a plain object; `undefined` means NotImplemented, "no such attribute" or "the
 * iterator is finished".
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
  /** Its name in "... has no attribute". */
  title(): string {
    return `'${this.cls.told}' object`;
  }
  /** The message for a missing attribute. */
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
  /** `self != other`: its own answer, or the negation of `==`. */
  unequal(_other: Value): Value | undefined {
    return undefined;
  }
  order(_op: OrderOp, _other: Value): Value | undefined {
    return undefined;
  }
  key(): Key {
    return this;
  }
  /** The result of `copy.copy` or `copy.deepcopy`; `undefined` when it is its own copy. */
  duplicate(_isDeep: boolean): PyObject | undefined {
    return undefined;
  }
  /** CPython's hash when it is the same in every run; that of texts and of most objects is not. */
  steadyHash(): bigint | undefined {
    return undefined;
  }
  /** The int, float or str that it also is: an `IntEnum`'s member. */
  get underlying(): Value | undefined {
    return undefined;
  }
  /** Whether its class defines its hash, so that values of other classes may equal it. */
  ownsHash(): boolean {
    return false;
  }
  /** Whether this `__x__` name can be read with a dot; most cannot. */
  readsSpecial(_name: string): boolean {
    return false;
  }
  /** Whether it implements a protocol. */
  supports(protocol: Protocol): boolean {
    return this[protocol] !== PyObject.prototype[protocol];
  }
  /** Whether this `__x__` name can be set with a dot; most cannot. */
  writesSpecial(_name: string): boolean {
    return false;
  }
  /** The attributes set on the object itself. */
  ownAttributes(): Iterable<readonly [string, Value]> {
    return [];
  }
  attribute(name: string): Value | undefined {
    return this.cls.lookupFor(this, name);
  }
  /** Names for `dir` besides those of its class. */
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
  /** The iterator of `reversed`; `undefined` when it has none of its own. */
  reversed(): PyIterator | undefined {
    return undefined;
  }
  /** Its int as an index (`__index__`); `undefined` when it has none. */
  index(): number | bigint | undefined {
    return undefined;
  }
  /** Its float (`__float__`); `undefined` when it has none. */
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
  /** `undefined`: no test of its own; iterate instead. */
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
   * The result of an attribute lookup that finds this object in a class: methods bind, properties
   * compute.
   */
  describe(_self: Value, _cls: PyClass): Value {
    return this;
  }
}

/** An iterator: `next` returns the next value, or `undefined` at the end. */
export abstract class PyIterator extends PyObject {
  abstract next(): Value | undefined;
  override iterate(): PyIterator {
    return this;
  }
}

/** The int, float or str that a value also is, or the value itself. */
export function underlyingOf(v: Value): Value {
  return v instanceof PyObject ? (v.underlying ?? v) : v;
}

/** A str, or the str that a value also is; `undefined` for anything else. */
export function asText(v: Value | undefined): string | undefined {
  if (typeof v === 'string') return v;
  const own = v instanceof PyObject ? v.underlying : undefined;
  return typeof own === 'string' ? own : undefined;
}
