import { tick } from '../../meter.ts';
import { equals } from '../compare.ts';
import { raise } from '../../errors.ts';
import { asIndex } from '../numbers/number.ts';
import { typeName } from '../types.ts';
import { PyObject, type BinaryOp, type Value } from '../object.ts';

/** Most elements of a list or tuple made by `*`; beyond, MemoryError. */
const MAX_REPEATED = 10_000_000;

/** `items` repeated `count` times. @throws MemoryError before it allocates */
export function repeated(list: readonly Value[], count: number | bigint): Value[] {
  if (BigInt(count) >= 1n << 63n)
    raise('OverflowError', "cannot fit 'int' into an index-sized integer");
  const times = list.length === 0 ? 0 : Math.max(0, Number(count));
  if (list.length * times > MAX_REPEATED) raise('MemoryError', '');
  tick(list.length * times);
  return Array.from({ length: times }, () => list).flat();
}

/** What lists, tuples and deques do alike. */
export abstract class PySequence extends PyObject {
  abstract readonly items: readonly Value[];

  override truthy(): boolean {
    return this.items.length > 0;
  }
  override length(): number {
    return this.items.length;
  }
  override contains(item: Value): boolean {
    tick(this.items.length >> 3);
    return this.items.some((own) => own === item || equals(own, item));
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '*' ? this.binary(op, left) : undefined;
  }
  /** The elements repeated, for `*`. */
  protected times(count: Value): Value[] {
    const times =
      asIndex(count) ??
      raise('TypeError', `can't multiply sequence by non-int of type '${typeName(count)}'`);
    return repeated(this.items, times);
  }
}
