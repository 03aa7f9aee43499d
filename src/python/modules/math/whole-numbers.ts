import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { binary, mul } from '../../objects/numbers/arithmetic.ts';
import { asIndex, bitLength, indexOf, notAnInteger } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';

export function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

export function isqrt(n: bigint): bigint {
  if (n < 0n) raise('ValueError', 'isqrt() argument must be nonnegative');
  if (n < 2n) return n;
  let x = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    tick(1 + (bitLength(n) >> 8));
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

export function factorial(v: Value): Value {
  const n = indexOf(v);
  return n < 0 ? raise('ValueError', 'factorial() not defined for negative values') : product(2, n);
}

export function choose(v: Value, w: Value): Value {
  const [n, k] = naturals(v, w);
  if (k > n) return 0;
  const least = Math.min(k, n - k);
  return binary('//', product(n - least + 1, n), product(2, least));
}

export function integerOf(v: Value | undefined): bigint {
  const n = v === undefined ? undefined : asIndex(v);
  return n === undefined ? notAnInteger(v ?? null) : BigInt(n);
}

export function arranged(v: Value, w: Value): Value {
  const [n, k] = naturals(v, w);
  return k > n ? 0 : product(n - k + 1, n);
}

/** The product of the integers from `low` to `high`; raises OverflowError at the limit of ints. */
function product(low: number, high: number): Value {
  let result: Value = 1;
  for (let i = low; i <= high; i += 1) {
    tick(1);
    result = mul(result, i);
  }
  return result;
}

/** The arguments of `comb` and `perm`; CPython checks their signs before their size. */
function naturals(v: Value, w: Value): readonly [number, number] {
  const [n, k] = [integerOf(v), integerOf(w)];
  if (n < 0n || k < 0n) raise('ValueError', `${n < 0n ? 'n' : 'k'} must be a non-negative integer`);
  return [indexOf(v), indexOf(w)];
}
