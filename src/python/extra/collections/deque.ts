import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { equals, orderItems } from '../../objects/compare.ts';
import { overArray } from '../../objects/collections/iterator.ts';
import { equalItems } from '../../objects/collections/list.ts';
import { defineGetters, defineMethods } from '../../objects/classes/native.ts';
import { asInt, indexOf, decimalPlaceOf } from '../../objects/numbers/number.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { PySequence, repeated } from '../../objects/collections/sequence.ts';
import { PySlice, position } from '../../objects/collections/slice.ts';
import { repr, reprInside } from '../../text/repr.ts';

/** The class `collections.deque`. */
export const deque: PyClass = new PyClass('deque', [types.object], { module: 'collections' });

class Deque extends PySequence {
  readonly items: Value[] = [];
  readonly limit: number;

  constructor(elements: readonly Value[], limit: number) {
    super();
    this.limit = limit;
    for (const item of elements) this.push(item, false);
  }
  get cls(): PyClass {
    return deque;
  }
  push(item: Value, atLeft: boolean): null {
    tick(1 + (this.items.length >> 6));
    if (atLeft) this.items.unshift(item);
    else this.items.push(item);
    if (this.items.length > this.limit) this.take(!atLeft);
    return null;
  }
  take(atLeft: boolean): Value {
    tick(this.items.length >> 6);
    const item = atLeft ? this.items.shift() : this.items.pop();
    return item === undefined ? raise('IndexError', 'pop from an empty deque') : item;
  }
  override repr(): string {
    const tail = Number.isFinite(this.limit) ? `, maxlen=${this.limit}` : '';
    return reprInside(this, '[...]', () => `deque([${this.items.map(repr).join(', ')}]${tail})`);
  }
  override equals(other: Value): Value | undefined {
    return other instanceof Deque ? equalItems(this.items, other.items) : undefined;
  }
  override key(): Key {
    return raise('TypeError', "unhashable type: 'collections.deque'");
  }
  override iterate(): PyIterator {
    return overArray('_deque_iterator', this.items);
  }
  override item(key: Value): Value {
    return (
      this.items[position(key, this.items.length, 'deque', 'deque index out of range')] ?? null
    );
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof Deque ? orderItems(op, this.items, other.items) : undefined;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+')
      return right instanceof Deque
        ? new Deque([...this.items, ...right.items], this.limit)
        : undefined;
    const times = op === '*' ? asInt(right) : undefined;
    return times === undefined ? undefined : new Deque(repeated(this.items, times), this.limit);
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    if (op !== '+') return undefined;
    for (const item of items(right)) this.push(item, false);
    return this;
  }
  override deleteItem(key: Value): void {
    tick(this.items.length);
    this.items.splice(position(key, this.items.length, 'deque', 'deque index out of range'), 1);
  }
  override setItem(key: Value, value: Value): void {
    this.items[position(key, this.items.length, 'deque', 'deque index out of range')] = value;
  }
}
deque.create = (_cls, [source, limit], kwargs) => {
  const most = limit ?? kwargs?.get('maxlen') ?? null;
  return new Deque(
    source === undefined ? [] : items(source),
    most === null ? Infinity : decimalPlaceOf(most),
  );
};
defineGetters(deque, Deque, {
  maxlen: (self) => (Number.isFinite(self.limit) ? self.limit : null),
});
defineMethods(deque, Deque, {
  'append(x, /)': (self, item: Value) => self.push(item, false),
  'appendleft(x, /)': (self, item: Value) => self.push(item, true),
  'pop()': (self) => self.take(false),
  'popleft()': (self) => self.take(true),
  'extend(iterable, /)': (self, more: Value) => {
    for (const item of items(more)) self.push(item, false);
    return null;
  },
  'extendleft(iterable, /)': (self, more: Value) => {
    for (const item of items(more)) self.push(item, true);
    return null;
  },
  'index(value, start=, stop=, /)': (self, value: Value, start, stop) => {
    tick(self.items.length);
    const { start: from, stop: to } = new PySlice(start ?? null, stop ?? null, null).over(
      self.items.length,
    );
    const at = self.items.findIndex(
      (item, i) => i >= from && i < to && (item === value || equals(item, value)),
    );
    return at >= 0 ? at : raise('ValueError', `${repr(value)} is not in deque`);
  },
  'remove(value, /)': (self, value: Value) => {
    tick(self.items.length);
    const at = self.items.findIndex((item) => item === value || equals(item, value));
    if (at < 0) raise('ValueError', 'deque.remove(x): x not in deque');
    self.items.splice(at, 1);
    return null;
  },
  'insert(index, object, /)': (self, index: Value, item: Value) => {
    if (self.items.length >= self.limit) raise('IndexError', 'deque already at its maximum size');
    tick(self.items.length);
    const n = indexOf(index);
    self.items.splice(n < 0 ? Math.max(0, self.items.length + n) : n, 0, item);
    return null;
  },
  'copy()': (self) => new Deque(self.items, self.limit),
  'reverse()': (self) => {
    tick(self.items.length);
    self.items.reverse();
    return null;
  },
  'clear()': (self) => {
    self.items.length = 0;
    return null;
  },
  'count(value, /)': (self, value: Value) => {
    tick(self.items.length);
    return self.items.filter((item) => equals(item, value)).length;
  },
  'rotate(n=, /)': (self, n) => {
    tick(self.items.length);
    const size = self.items.length;
    const by = size === 0 ? 0 : ((indexOf(n === undefined ? 1 : n) % size) + size) % size;
    self.items.unshift(...self.items.splice(size - by));
    return null;
  },
});
