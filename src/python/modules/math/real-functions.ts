import { raise } from '../../errors.ts';
import { truncated } from '../../builtins/numbers/operations.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { asInt, bitLength, float, toDouble } from '../../objects/numbers/number.ts';
import { fractionOf } from '../../objects/numbers/precise.ts';
import type { Value } from '../../objects/object.ts';
import { PyInstance } from '../../objects/classes/instance.ts';

/**
 * A function of one float; as in C, a NaN result for another argument than NaN is a domain error.
 */
export function real(name: string, compute: (x: number) => number): Value {
  return nativeFunction(`${name}(x, /)`, (v: Value) => {
    const x = toDouble(v);
    const result = compute(x);
    if (Number.isNaN(result) && !Number.isNaN(x)) raise('ValueError', 'math domain error');
    if (!Number.isFinite(result) && Number.isFinite(x))
      raise(
        name.startsWith('log') ? 'ValueError' : 'OverflowError',
        name.startsWith('log') ? 'math domain error' : 'math range error',
      );
    return float(result);
  });
}

export function rounded(name: string, compute: (x: number) => number): Value {
  return nativeFunction(`${name}(x, /)`, (v: Value) => {
    const n = asInt(v);
    if (n !== undefined) return n;
    const own = v instanceof PyInstance ? v.special(`__${name}__`) : undefined;
    return own ?? truncated(compute(toDouble(v)));
  });
}

/** Logarithm of any positive number; an int may be beyond the range of floats. */
export function logarithm(v: Value, log: (over: bigint, under: bigint) => number): number {
  const n = asInt(v);
  if (n !== undefined && !Number.isFinite(Number(n)) && n > 0) {
    const bits = bitLength(n);
    return log(BigInt(n), 1n << BigInt(bits)) + log(2n, 1n) * bits;
  }
  const x = n === undefined ? toDouble(v) : Number(n);
  if (x <= 0) raise('ValueError', 'math domain error');
  return Number.isFinite(x) ? log(...fractionOf(x)) : x;
}
