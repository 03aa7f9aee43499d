import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { repr, reprInside } from '../../text/repr.ts';
import { hashFrozenSet } from '../numbers/hash.ts';
import { HashIndex } from './hash-index.ts';
import { NativeIterator } from './iterator.ts';
import { COMPOUND, keyOf, keyText, ownsHash } from '../key.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { SlotTable, tableSize } from './set-order.ts';
import { steadyHashes } from '../numbers/steady-hash.ts';

/**
 * A set or frozenset. Sets of whole numbers iterate in the order of CPython's hash table, so this
 * class follows its size and its filling; all others iterate in the order of insertion.
 */
export class PySet extends PyObject {
  readonly table: Map<Key, Value>;
  readonly frozen: boolean;
  #slots = 8;
  /**
   * Whether the class of an element defines its hash; then elements of other classes may equal it.
   */
  #isMixed = false;
  #index: HashIndex | undefined;
  /** Slots in use, including those of removed elements. */
  #filled = 0;
  /**
   * CPython's table, kept from the first removal on; until then the order of insertion determines
   * it.
   */
  #layout: SlotTable | undefined;
  /** Whether an element without a steady place was added: then CPython has no order to follow. */
  #isArbitrary = false;
  /** The slot at which `pop` starts. */
  #finger = 0;

  constructor(elements: Iterable<Value> = [], frozen = false) {
    super();
    this.table = new Map();
    this.frozen = frozen;
    for (const item of elements) this.add(item);
  }
  get cls(): PyClass {
    return this.frozen ? types.frozenset : types.set;
  }
  /** The key in the table of a value equal to `item`, or the key that it would get. */
  keyOf(item: Value): Key {
    const key = keyOf(item);
    if (this.table.has(key) || !(this.#isMixed || ownsHash(key))) return key;
    this.#index ??= new HashIndex(this.table);
    return this.#index.find(item, this.table) ?? key;
  }
  /** Whether it contains an element of another set. */
  holds(key: Key, item: Value): boolean {
    return this.table.has(key) || this.table.has(this.keyOf(item));
  }
  add(item: Value): void {
    this.put(this.keyOf(item), item);
  }
  put(key: Key, item: Value): void {
    if (this.table.has(key)) return;
    this.table.set(key, item);
    this.#isMixed ||= ownsHash(key);
    this.#index?.add(key, item);
    const isNew = this.#layout?.add(key, item);
    if (this.#layout !== undefined && isNew === undefined) this.#forget();
    if (isNew === false) return;
    this.#filled += 1;
    const used = this.table.size;
    if (this.#filled * 5 >= (this.#slots - 1) * 3)
      this.#resize(used > 50_000 ? used * 2 : used * 4);
  }
  /** Adds all elements of another set. */
  merge(other: PySet): void {
    const more = other.table.size;
    if (more === 0 || other === this) return;
    if ((this.#filled + more) * 5 >= (this.#slots - 1) * 3)
      this.#resize((this.table.size + more) * 2);
    const isTwin = this.#filled === 0 && this.#slots === other.#slots && other.#filled === more;
    const isMixed = this.#isMixed || other.#isMixed;
    if (isTwin && other.#layout !== undefined) return this.#mirror(other, other.#layout);
    for (const [key, item] of isTwin ? [...other.table] : other.entries())
      this.put(isMixed ? this.keyOf(item) : key, item);
  }
  /** Copies another set slot by slot, once slots of removed elements are filled. */
  #mirror(other: PySet, layout: SlotTable): void {
    for (const [key, item] of other.table) this.table.set(key, item);
    this.#isMixed = other.#isMixed;
    this.#index = undefined;
    this.#filled = other.#filled;
    this.#layout = layout.copied();
  }
  copy(frozen: boolean): PySet {
    const made = new PySet([], frozen);
    made.merge(this);
    return made;
  }
  /** Removes an element; false when it was absent. */
  drop(key: Key): boolean {
    if (!this.table.has(key)) return false;
    if (!this.#isArbitrary) this.#kept()?.drop(key);
    return this.table.delete(key);
  }
  #kept(): SlotTable | undefined {
    this.#layout ??= SlotTable.of(this.table, this.#slots);
    if (this.#layout === undefined) this.#isArbitrary = true;
    return this.#layout;
  }
  #forget(): void {
    this.#layout = undefined;
    this.#isArbitrary = true;
  }
  /** Removes and returns the element that CPython's `pop` would take, if there is one. */
  pop(): Value | undefined {
    if (this.table.size === 0) return undefined;
    const slots = this.#isArbitrary ? undefined : this.#kept()?.slots;
    const mask = this.#slots - 1;
    let at = this.#finger & mask;
    const isThere = (slot: number): boolean => slots?.[slot]?.isGone === false;
    if (slots !== undefined) while (!isThere(at)) at = (at + 1) & mask;
    this.#finger = at + 1;
    const [first] = this.table;
    const [key, item] = slots === undefined ? (first ?? []) : [slots[at]?.key, slots[at]?.item];
    if (key !== undefined) this.drop(key);
    return item;
  }
  /** Drops the slots of removed elements when there are many, as `-=` does. */
  tidy(): void {
    const used = this.table.size;
    if (this.#filled - used > (this.#slots - 1) >> 2)
      this.#resize(used > 50_000 ? used * 2 : used * 4);
  }
  /** Becomes another set. */
  become(fresh: PySet): void {
    this.table.clear();
    for (const [key, item] of fresh.table) this.table.set(key, item);
    this.#isMixed = fresh.#isMixed;
    this.#index = undefined;
    this.#slots = fresh.#slots;
    this.#filled = fresh.#filled;
    this.#layout = fresh.#layout;
    this.#isArbitrary = fresh.#isArbitrary;
  }
  clear(): void {
    this.become(new PySet());
    this.#finger = 0;
  }
  #resize(least: number): void {
    const ordered = this.entries();
    this.table.clear();
    for (const [key, item] of ordered) this.table.set(key, item);
    this.#slots = tableSize(least);
    this.#filled = this.table.size;
    this.#layout = undefined;
  }
  /** The elements with their keys, in the order of iteration. */
  entries(): [Key, Value][] {
    tick(this.table.size);
    const isPlain = this.table.size < 2 || this.#isArbitrary;
    const slots = isPlain
      ? undefined
      : (this.#layout ?? SlotTable.of(this.table, this.#slots))?.slots;
    return (
      slots?.flatMap((slot) => (slot?.isGone === false ? [[slot.key, slot.item]] : [])) ?? [
        ...this.table,
      ]
    );
  }
  values(): Value[] {
    return this.entries().map(([, item]) => item);
  }
  /** The key to look up: a set is looked up as the frozenset it equals. */
  wanted(item: Value): Key {
    return this.keyOf(item instanceof PySet && !item.frozen ? item.copy(true) : item);
  }
  override steadyHash(): bigint | undefined {
    const hashes = this.frozen ? steadyHashes([...this.table.values()]) : undefined;
    return hashes && hashFrozenSet(hashes);
  }
  override truthy(): boolean {
    return this.table.size > 0;
  }
  override repr(): string {
    return reprInside(this, `${this.cls.name}(...)`, () => {
      const inside = this.values().map(repr).join(', ');
      if (!this.frozen) return inside === '' ? 'set()' : `{${inside}}`;
      return inside === '' ? 'frozenset()' : `frozenset({${inside}})`;
    });
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PySet
      ? this.table.size === other.table.size && this.within(other)
      : undefined;
  }
  within(other: PySet): boolean {
    tick(this.table.size);
    return [...this.table].every(([key, item]) => other.holds(key, item));
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof PySet)) return undefined;
    if (op === '<' || op === '<=')
      return this.within(other) && (op === '<=' || this.table.size < other.table.size);
    return other.within(this) && (op === '>=' || other.table.size < this.table.size);
  }
  override key(): Key {
    if (!this.frozen) raise('TypeError', "unhashable type: 'set'");
    tick(this.table.size);
    return `${COMPOUND}f${[...this.table.keys()].map(keyText).sort().join('')}`;
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
    return this.table.has(this.wanted(item));
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
      for (const item of Array.from(other.table.values())) this.drop(this.keyOf(item));
      this.tidy();
    } else if (op === '^') {
      for (const item of other.values()) if (!this.drop(this.keyOf(item))) this.add(item);
    } else return false;
    return true;
  }
}

/**
 * `| & - ^` of two sets, each computed in CPython's way, which determines the order of the result.
 */
export function combined(
  op: BinaryOp,
  left: PySet,
  right: PySet,
  frozen: boolean,
): PySet | undefined {
  tick(left.table.size + right.table.size);
  switch (op) {
    case '|': {
      const made = left.copy(frozen);
      made.merge(right);
      return made;
    }
    case '&': {
      if (left === right) return left.copy(frozen);
      const [small, large] = right.table.size > left.table.size ? [left, right] : [right, left];
      return filtered(small, (key, item) => large.holds(key, item), frozen);
    }
    case '-': {
      if (left.table.size >> 2 <= right.table.size)
        return filtered(left, (key, item) => !right.holds(key, item), frozen);
      const made = left.copy(frozen);
      for (const item of right.table.values()) made.drop(made.keyOf(item));
      made.tidy();
      return made;
    }
    case '^':
      return toggled(left, right.copy(frozen));
    default:
      return undefined;
  }
}

/** Adds the elements of `left` to `made`, or removes those that are there. */
export function toggled(left: PySet, made: PySet): PySet {
  for (const item of left.values()) if (!made.drop(made.keyOf(item))) made.add(item);
  return made;
}

function filtered(from: PySet, test: (key: Key, item: Value) => boolean, frozen: boolean): PySet {
  const made = new PySet([], frozen);
  for (const [key, item] of from.entries()) if (test(key, item)) made.put(key, item);
  return made;
}
