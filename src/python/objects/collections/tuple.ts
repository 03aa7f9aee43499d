import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { raise } from '../../errors.ts';
import { repr, reprInside } from '../../text/repr.ts';
import { orderItems } from '../compare.ts';
import { hashTuple } from '../numbers/hash.ts';
import { overArray } from './iterator.ts';
import { COMPOUND, keyOf, keyText } from '../key.ts';
import { equalItems } from './list.ts';
import { typeName, types } from '../types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { PySequence } from './sequence.ts';
import { PySlice, position, sliced } from './slice.ts';
import { steadyHashes } from '../numbers/steady-hash.ts';

/** A tuple, or an instance of a named tuple class. */
export class PyTuple extends PySequence {
  readonly items: readonly Value[];
  readonly cls: PyClass;

  constructor(elements: readonly Value[], cls: PyClass = types.tuple) {
    super();
    this.items = elements;
    this.cls = cls;
  }
  override repr(): string {
    return reprInside(this, '(...)', () => {
      const inside = this.items.map(repr).join(', ');
      return this.items.length === 1 ? `(${inside},)` : `(${inside})`;
    });
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyTuple ? equalItems(this.items, other.items) : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof PyTuple ? orderItems(op, this.items, other.items) : undefined;
  }
  override steadyHash(): bigint | undefined {
    const hashes = steadyHashes(this.items);
    return hashes && hashTuple(hashes);
  }
  override key(): Key {
    tick(this.items.length);
    const text = this.items.map((item) => keyText(keyOf(item))).join('');
    payForText(text.length);
    return `${COMPOUND}t${text}`;
  }
  override iterate(): PyIterator {
    return overArray('tuple_iterator', this.items);
  }
  override item(key: Value): Value {
    if (key instanceof PySlice) {
      tick(this.items.length >> 3);
      return new PyTuple(sliced(this.items, key));
    }
    return this.items[position(key, this.items.length, 'tuple')] ?? null;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+') {
      if (!(right instanceof PyTuple))
        return raise('TypeError', `can only concatenate tuple (not "${typeName(right)}") to tuple`);
      tick(this.items.length + right.items.length);
      return new PyTuple([...this.items, ...right.items]);
    }
    const repetition = op === '*' ? this.times(right) : undefined;
    return repetition && new PyTuple(repetition);
  }
}
