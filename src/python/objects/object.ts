import { raise } from '../errors.ts';
import type { PyClass } from './class.ts';

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

/** The int, float or str that a value of a class of its own also is, or the value itself. */
export function underlyingOf(v: Value): Value {
  return v instanceof PyObject ? (v.underlying ?? v) : v;
}

/** A str, or what is one besides being of a class of its own; `undefined` for anything else. */
export function asText(v: Value | undefined): string | undefined {
  if (typeof v === 'string') return v;
  const own = v instanceof PyObject ? v.underlying : undefined;
  return typeof own === 'string' ? own : undefined;
}
