import { raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { repr, reprInside } from '../text/repr.ts';
import { NativeIterator } from './iterator.ts';
import { COMPOUND, keyOf, keyText } from './key.ts';
import { PyObject, types } from './object.ts';
import type { BinaryOp, Key, OrderOp, PyClass, PyIterator, Value } from './object.ts';
import { tableOrder, tableSize } from './set-order.ts';

/**
 * A set or frozenset. Sets of whole numbers iterate in the order of CPython's hash table, whose size and filling are
 * therefore followed here; all others iterate in the order in which their elements came.
 */
export class PySet extends PyObject {
  readonly table: Map<Key, Value>;
  readonly frozen: boolean;
  #slots = 8;
  /** Slots in use, those of removed elements too. */
  #filled = 0;

  constructor(elements: Iterable<Value> = [], frozen = false) {
    super();
    this.table = new Map();
    this.frozen = frozen;
    for (const item of elements) this.add(item);
  }
  get cls(): PyClass {
    return this.frozen ? types.frozenset : types.set;
  }
  add(item: Value): void {
    this.put(keyOf(item), item);
  }
  put(key: Key, item: Value): void {
    if (this.table.has(key)) return;
    this.table.set(key, item);
    this.#filled += 1;
    const used = this.table.size;
    if (this.#filled * 5 >= (this.#slots - 1) * 3) this.#resize(used > 50_000 ? used * 2 : used * 4);
  }
  /** All elements of another set. */
  merge(other: PySet): void {
    const more = other.table.size;
    if (more === 0) return;
    if ((this.#filled + more) * 5 >= (this.#slots - 1) * 3) this.#resize((this.table.size + more) * 2);
    const isTwin = this.#filled === 0 && this.#slots === other.#slots && other.#filled === more;
    for (const [key, item] of isTwin ? [...other.table] : other.entries()) this.put(key, item);
  }
  copy(frozen: boolean): PySet {
    const made = new PySet([], frozen);
    made.merge(this);
    return made;
  }
  /** Takes an element out; false when it was not in. */
  drop(key: Key): boolean {
    return this.table.delete(key);
  }
  /** Drops the slots of removed elements when they are many, as `-=` does. */
  tidy(): void {
    const used = this.table.size;
    if (this.#filled - used > (this.#slots - 1) / 4) this.#resize(used > 50_000 ? used * 2 : used * 4);
  }
  /** Becomes another set. */
  become(fresh: PySet): void {
    this.table.clear();
    for (const [key, item] of fresh.table) this.table.set(key, item);
    this.#slots = fresh.#slots;
    this.#filled = fresh.#filled;
  }
  clear(): void {
    this.become(new PySet());
  }
  #resize(least: number): void {
    const ordered = this.entries();
    this.table.clear();
    for (const [key, item] of ordered) this.table.set(key, item);
    this.#slots = tableSize(least);
    this.#filled = this.table.size;
  }
  /** The elements with their keys, in the order of iteration. */
  entries(): [Key, Value][] {
    tick(this.table.size);
    const keys = tableOrder(this.table, this.#slots);
    return keys === undefined ? [...this.table] : keys.map((key) => [key, this.table.get(key) ?? null]);
  }
  values(): Value[] {
    return this.entries().map(([, item]) => item);
  }
  override truthy(): boolean {
    return this.table.size > 0;
  }
  override repr(): string {
    return reprInside(this, `${this.cls.name}(...)`, () => {
      const inside = this.values()
        .map((item) => repr(item))
        .join(', ');
      if (!this.frozen) return inside === '' ? 'set()' : `{${inside}}`;
      return inside === '' ? 'frozenset()' : `frozenset({${inside}})`;
    });
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PySet ? this.table.size === other.table.size && this.within(other) : undefined;
  }
  within(other: PySet): boolean {
    tick(this.table.size);
    return [...this.table.keys()].every((key) => other.table.has(key));
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof PySet)) return undefined;
    if (op === '<' || op === '<=') return this.within(other) && (op === '<=' || this.table.size < other.table.size);
    return other.within(this) && (op === '>=' || other.table.size < this.table.size);
  }
  override key(): Key {
    if (!this.frozen) raise('TypeError', "unhashable type: 'set'");
    tick(this.table.size);
    return `${COMPOUND}f${[...this.table.keys()]
      .map((key) => keyText(key))
      .sort()
      .join('')}`;
  }
  override iterate(): PyIterator {
    const size = this.table.size;
    const source = this.values().values();
    return new NativeIterator('set_iterator', () => {
      if (this.table.size !== size) raise('RuntimeError', 'Set changed size during iteration');
      return source.next().value;
    });
  }
  override length(): number {
    return this.table.size;
  }
  override contains(item: Value): boolean {
    return this.table.has(wantedKey(item));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return right instanceof PySet ? combined(op, this, right, this.frozen) : undefined;
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    if (!(right instanceof PySet) || this.frozen) return undefined;
    return this.update(op, right) ? this : undefined;
  }
  /** `|= &= -= ^=`; false for another operator. */
  update(op: BinaryOp, other: PySet): boolean {
    tick(this.table.size + other.table.size);
    if (op === '|') this.merge(other);
    else if (op === '&') this.become(combined('&', this, other, false) ?? this);
    else if (op === '-') {
      for (const key of Array.from(other.table.keys())) this.drop(key);
      this.tidy();
    } else if (op === '^') {
      for (const [key, item] of other.entries()) if (!this.drop(key)) this.put(key, item);
    } else return false;
    return true;
  }
}

/** The key to look for: a set is looked for as the frozenset it equals. */
export function wantedKey(item: Value): Key {
  return keyOf(item instanceof PySet && !item.frozen ? item.copy(true) : item);
}

/** `| & - ^` of two sets, each made in CPython's way, which decides the order of the result. */
export function combined(op: BinaryOp, left: PySet, right: PySet, frozen: boolean): PySet | undefined {
  tick(left.table.size + right.table.size);
  switch (op) {
    case '|': {
      const made = left.copy(frozen);
      made.merge(right);
      return made;
    }
    case '&': {
      const [small, large] = right.table.size > left.table.size ? [left, right] : [right, left];
      return filtered(small, (key) => large.table.has(key), frozen);
    }
    case '-': {
      if (left.table.size >> 2 <= right.table.size) return filtered(left, (key) => !right.table.has(key), frozen);
      const made = left.copy(frozen);
      for (const [key] of right.table) made.drop(key);
      made.tidy();
      return made;
    }
    case '^':
      return toggled(left, right.copy(frozen));
    default:
      return undefined;
  }
}

/** Puts the elements of `left` into `made`, or takes out those it has. */
export function toggled(left: PySet, made: PySet): PySet {
  for (const [key, item] of left.entries()) if (!made.drop(key)) made.put(key, item);
  return made;
}

function filtered(from: PySet, test: (key: Key) => boolean, frozen: boolean): PySet {
  const made = new PySet([], frozen);
  for (const [key, item] of from.entries()) if (test(key)) made.put(key, item);
  return made;
}
