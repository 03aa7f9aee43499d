import { raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { repr, reprInside } from '../text/repr.ts';
import { overTable } from './iterator.ts';
import { COMPOUND, keyOf, keyText } from './key.ts';
import { PyObject, types } from './object.ts';
import type { BinaryOp, Key, OrderOp, PyClass, PyIterator, Value } from './object.ts';

/** A set or frozenset. It iterates in insertion order; CPython's order is unspecified. */
export class PySet extends PyObject {
  readonly table: Map<Key, Value>;
  readonly frozen: boolean;

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
    const key = keyOf(item);
    if (!this.table.has(key)) this.table.set(key, item);
  }
  values(): Value[] {
    tick(this.table.size);
    return [...this.table.values()];
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
    return overTable('set_iterator', 'Set', this.table, (item) => item);
  }
  override length(): number {
    return this.table.size;
  }
  override contains(item: Value): boolean {
    return this.table.has(keyOf(item));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return right instanceof PySet ? combined(op, this, right, this.frozen) : undefined;
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    const result = right instanceof PySet && !this.frozen ? combined(op, this, right, false) : undefined;
    if (result === undefined) return undefined;
    this.table.clear();
    for (const [key, item] of result.table) this.table.set(key, item);
    return this;
  }
}

/** `| & - ^` of two sets. */
export function combined(op: BinaryOp, left: PySet, right: PySet, frozen: boolean): PySet | undefined {
  tick(left.table.size + right.table.size);
  const mine = [...left.table];
  const theirs = [...right.table];
  const pick = (): [Key, Value][] | undefined => {
    switch (op) {
      case '|':
        return [...mine, ...theirs.filter(([key]) => !left.table.has(key))];
      case '&':
        return mine.filter(([key]) => right.table.has(key));
      case '-':
        return mine.filter(([key]) => !right.table.has(key));
      case '^':
        return [...mine.filter(([key]) => !right.table.has(key)), ...theirs.filter(([key]) => !left.table.has(key))];
      default:
        return undefined;
    }
  };
  const picked = pick();
  if (picked === undefined) return undefined;
  const result = new PySet([], frozen);
  for (const [key, item] of picked) result.table.set(key, item);
  return result;
}
