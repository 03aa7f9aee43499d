import { raise } from '../../errors.ts';
import { repr } from '../../text/repr.ts';
import { equals, orderItems } from '../compare.ts';
import { asIndex } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { Key, OrderOp, Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/** The positions that a slice selects from a sequence of a given length. */
type Span = {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly count: number;
};

/** `start:stop:step` inside brackets. */
export class PySlice extends PyObject {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;

  constructor(start: Value, stop: Value, step: Value) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
  }
  get cls(): PyClass {
    return types.slice;
  }
  override key(): Key {
    return raise('TypeError', "unhashable type: 'slice'");
  }
  override repr(): string {
    return `slice(${repr(this.start)}, ${repr(this.stop)}, ${repr(this.step)})`;
  }

  get #parts(): readonly Value[] {
    return [this.start, this.stop, this.step];
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof PySlice)) return undefined;
    const theirs = other.#parts;
    return this.#parts.every((part, i) => equals(part, theirs[i] ?? null));
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof PySlice ? orderItems(op, this.#parts, other.#parts) : undefined;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'start') return this.start;
    if (name === 'stop') return this.stop;
    return name === 'step' ? this.step : super.attribute(name);
  }

  /** @throws ValueError for step 0, TypeError for bounds that are not integers */
  over(length: number): Span {
    const step = bound(this.step, 1);
    if (step === 0) raise('ValueError', 'slice step cannot be zero');
    const low = step > 0 ? 0 : -1;
    const high = step > 0 ? length : length - 1;
    const clamp = (v: number): number => (v < 0 ? Math.max(v + length, low) : Math.min(v, high));
    const start = this.start === null ? (step > 0 ? low : high) : clamp(bound(this.start, 0));
    const stop = this.stop === null ? (step > 0 ? high : low) : clamp(bound(this.stop, 0));
    const count = Math.max(0, Math.ceil((stop - start) / step));
    return { start, stop, step, count };
  }
}

/** The elements a slice selects. */
export function sliced<T>(items: readonly T[], slice: PySlice): T[] {
  const { start, step, count } = slice.over(items.length);
  if (step === 1) return items.slice(start, start + count);
  return Array.from({ length: count }, (_, i) => items[start + i * step]).filter(
    (item) => item !== undefined,
  );
}

/** An index into a sequence; negative ones count from the end. @throws IndexError, TypeError */
export function position(
  key: Value,
  length: number,
  kind: string,
  range = `${kind} index out of range`,
): number {
  const n = asIndex(key);
  if (n === undefined) {
    return raise(
      'TypeError',
      kind === 'string'
        ? `string indices must be integers, not '${typeName(key)}'`
        : `${kind} indices must be integers or slices, not ${typeName(key)}`,
    );
  }
  const at = Number(n) < 0 ? Number(n) + length : Number(n);
  return at >= 0 && at < length ? at : raise('IndexError', range);
}

/** A slice bound; ints beyond 2^53 act as the largest number. */
function bound(v: Value, absent: number): number {
  if (v === null) return absent;
  const n = asIndex(v);
  if (n === undefined)
    return raise('TypeError', 'slice indices must be integers or None or have an __index__ method');
  return typeof n === 'number' ? n : n > 0n ? Number.MAX_SAFE_INTEGER : -Number.MAX_SAFE_INTEGER;
}
