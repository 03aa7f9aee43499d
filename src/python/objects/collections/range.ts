import { raise } from '../../errors.ts';
import { hashInt, hashTuple } from '../numbers/hash.ts';
import { NativeIterator } from './iterator.ts';
import { COMPOUND } from '../key.ts';
import { asIndex, asNumber, indexOf } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import { types } from '../types.ts';
import type { Key, PyIterator, Value } from '../object.ts';
import type { PyClass } from '../class.ts';
import { PySlice, position } from './slice.ts';

/** `range(start, stop, step)`: never materialised. */
export class PyRange extends PyObject {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly count: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.count = Math.max(0, Math.ceil((stop - start) / step));
  }
  static of(start: Value, stop: Value, step: Value): PyRange {
    const [first, last, by] = [limit(start), limit(stop), limit(step)];
    if (by === 0) raise('ValueError', 'range() arg 3 must not be zero');
    return new PyRange(first, last, by);
  }
  get cls(): PyClass {
    return types.range;
  }
  override truthy(): boolean {
    return this.count > 0;
  }
  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? '' : `, ${this.step}`})`;
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof PyRange)) return undefined;
    if (this.count !== other.count) return false;
    return (
      this.count === 0 ||
      (this.start === other.start && (this.count === 1 || this.step === other.step))
    );
  }
  override steadyHash(): bigint | undefined {
    if (this.count < 2) return undefined;
    return hashTuple([hashInt(this.count), hashInt(this.start), hashInt(this.step)]);
  }
  override key(): Key {
    const same =
      this.count === 0 ? '' : this.count === 1 ? `${this.start}` : `${this.start};${this.step}`;
    return `${COMPOUND}r${this.count};${same}`;
  }
  override iterate(): PyIterator {
    let at = 0;
    return new NativeIterator('range_iterator', () => {
      if (at >= this.count) return undefined;
      at += 1;
      return this.start + (at - 1) * this.step;
    });
  }
  override length(): number {
    return this.count;
  }
  override item(key: Value): Value {
    if (!(key instanceof PySlice))
      return (
        this.start +
        position(key, this.count, 'range', 'range object index out of range') * this.step
      );
    if (key.step !== null) limit(key.step);
    const { start, stop, step } = key.over(this.count);
    return new PyRange(
      this.start + start * this.step,
      this.start + stop * this.step,
      this.step * step,
    );
  }
  override contains(item: Value): boolean {
    return this.indexOf(item) >= 0;
  }
  /** Position of a value; -1 when the range does not contain it. */
  indexOf(item: Value): number {
    const n = asNumber(item);
    const at = n === undefined ? -1 : (n - this.start) / this.step;
    return Number.isInteger(at) && at >= 0 && at < this.count ? at : -1;
  }
}

/** A bound of a range. @throws OverflowError beyond 2^53, which CPython supports */
function limit(v: Value): number {
  const n = asIndex(v);
  return typeof n === 'bigint'
    ? raise('OverflowError', 'int too large: a range ends at 2**53')
    : indexOf(v);
}
