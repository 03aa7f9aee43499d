import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { repr, reprInside } from '../../text/repr.ts';
import { equals, orderItems } from '../compare.ts';
import { overArray } from './iterator.ts';
import { indexOf } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { items } from '../protocol.ts';
import { PySequence, repeated } from './sequence.ts';
import { PySlice, position, sliced } from './slice.ts';

/** A list. `items` always stays the same array, so that iterators see every change. */
export class PyList extends PySequence {
  readonly items: Value[];

  constructor(elements: Value[]) {
    super();
    this.items = elements;
  }
  get cls(): PyClass {
    return types.list;
  }
  override repr(): string {
    return reprInside(this, '[...]', () => `[${this.items.map(repr).join(', ')}]`);
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyList ? equalItems(this.items, other.items) : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof PyList ? orderItems(op, this.items, other.items) : undefined;
  }
  override key(): Key {
    return raise('TypeError', "unhashable type: 'list'");
  }
  override iterate(): PyIterator {
    return overArray('list_iterator', this.items);
  }
  override item(key: Value): Value {
    if (key instanceof PySlice) {
      tick(this.items.length >> 3);
      return new PyList(sliced(this.items, key));
    }
    return this.items[position(key, this.items.length, 'list')] ?? null;
  }
  override setItem(key: Value, value: Value): void {
    if (key instanceof PySlice) this.#setSlice(key, value);
    else
      this.items[position(key, this.items.length, 'list', 'list assignment index out of range')] =
        value;
  }
  #setSlice(slice: PySlice, value: Value): void {
    const { start, step, count } = slice.over(this.items.length);
    const fresh =
      value instanceof PyObject || typeof value === 'string'
        ? items(value)
        : raise('TypeError', 'can only assign an iterable');
    tick(this.items.length);
    if (step === 1) {
      this.replace([...this.items.slice(0, start), ...fresh, ...this.items.slice(start + count)]);
      return;
    }
    if (fresh.length !== count) {
      raise(
        'ValueError',
        `attempt to assign sequence of size ${fresh.length} to extended slice of size ${count}`,
      );
    }
    for (const [i, item] of fresh.entries()) this.items[start + i * step] = item;
  }
  override deleteItem(key: Value): void {
    tick(this.items.length >> 3);
    if (key instanceof PySlice) {
      const { start, step, count } = key.over(this.items.length);
      const gone = new Set(Array.from({ length: count }, (_, i) => start + i * step));
      this.replace(this.items.filter((_, i) => !gone.has(i)));
      return;
    }
    this.items.splice(
      position(key, this.items.length, 'list', 'list assignment index out of range'),
      1,
    );
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+') {
      if (!(right instanceof PyList))
        return raise('TypeError', `can only concatenate list (not "${typeName(right)}") to list`);
      tick(this.items.length + right.items.length);
      return new PyList([...this.items, ...right.items]);
    }
    const repetition = op === '*' ? this.times(right) : undefined;
    return repetition && new PyList(repetition);
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+') this.extend(items(right));
    else if (op === '*') this.replace(repeated(this.items, indexOf(right)));
    else return undefined;
    return this;
  }
  extend(more: readonly Value[]): void {
    for (const item of more.slice()) this.items.push(item);
  }
  replace(fresh: readonly Value[]): void {
    this.items.length = 0;
    this.extend(fresh);
  }
}

/** Whether two sequences have equal elements. */
export function equalItems(left: readonly Value[], right: readonly Value[]): boolean {
  if (left.length !== right.length) return false;
  tick(left.length >> 3);
  return left.every((item, i) => {
    const other = right[i];
    return other !== undefined && (item === other || equals(item, other));
  });
}
