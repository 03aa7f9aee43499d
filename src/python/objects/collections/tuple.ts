import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { raise } from '../../errors.ts';
import { repr, reprInside } from '../../text/repr.ts';
import { equals, orderItems } from '../compare.ts';
import { hashTuple } from '../numbers/hash.ts';
import { overArray } from './iterator.ts';
import { COMPOUND, keyOf, keyText } from '../key.ts';
import { equalItems, repeated } from './list.ts';
import { asIndex } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { PySlice, position, sliced } from './slice.ts';
import { steadyHashes } from '../numbers/steady-hash.ts';

/** A tuple, or an instance of a named tuple class. */
export class PyTuple extends PyObject {
  readonly items: readonly Value[];
  readonly cls: PyClass;

  constructor(elements: readonly Value[], cls: PyClass = types.tuple) {
    super();
    this.items = elements;
    this.cls = cls;
  }
  override truthy(): boolean {
    return this.items.length > 0;
  }
  override repr(): string {
    return reprInside(this, '(...)', () => {
      const inside = this.items.map((item) => repr(item)).join(', ');
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
    return hashes === undefined ? undefined : hashTuple(hashes);
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
  override length(): number {
    return this.items.length;
  }
  override item(key: Value): Value {
    if (key instanceof PySlice) {
      tick(this.items.length >> 3);
      return new PyTuple(sliced(this.items, key));
    }
    return this.items[position(key, this.items.length, 'tuple')] ?? null;
  }
  override contains(item: Value): boolean {
    tick(this.items.length >> 3);
    return this.items.some((own) => own === item || equals(own, item));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+') {
      if (!(right instanceof PyTuple))
        return raise('TypeError', `can only concatenate tuple (not "${typeName(right)}") to tuple`);
      tick(this.items.length + right.items.length);
      return new PyTuple([...this.items, ...right.items]);
    }
    const times = op === '*' ? asIndex(right) : undefined;
    if (op === '*' && times === undefined)
      raise('TypeError', `can't multiply sequence by non-int of type '${typeName(right)}'`);
    return times === undefined ? undefined : new PyTuple(repeated(this.items, times));
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '*' ? this.binary(op, left) : undefined;
  }
}
