import { tick } from '../../meter.ts';
import { raise } from '../../errors.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { asInt, bitLength, integer } from '../../objects/numbers/number.ts';
import { typeName, typeOf, types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call, items } from '../../objects/protocol.ts';
import { decimalClass } from '../decimal/decimal.ts';

/** A fraction in lowest terms with a positive denominator. */
export type Fraction = readonly [over: bigint, under: bigint];

/** A fraction of two ints in lowest terms. */
export function reduced(over: bigint, under: bigint): Fraction {
  if (over === 0n || under === 1n) return [over, over === 0n ? 1n : under];
  const shared = commonDivisor(over, under);
  return [over / shared, under / shared];
}

export function addFractions([a, b]: Fraction, [c, d]: Fraction): Fraction {
  tick(1 + ((bitLength(b) + bitLength(d)) >> 8));
  return b === d ? reduced(a + c, b) : reduced(a * d + c * b, b * d);
}

export function times([a, b]: Fraction, [c, d]: Fraction): Fraction {
  return reduced(a * c, b * d);
}

export function dividedBy(f: Fraction, n: number): Fraction {
  return reduced(f[0], f[1] * BigInt(n));
}

/** The type of results: that of the data. */
export type NumberKind = 'int' | 'float' | 'decimal';

/** The type of a number. @throws TypeError for other values */
export function kindOf(v: Value): NumberKind {
  if (asInt(v) !== undefined) return 'int';
  const cls = typeOf(v);
  if (cls === decimalClass) return 'decimal';
  if (cls === types.float) return 'float';
  return raise('TypeError', `can't convert type '${typeName(v)}' to numerator/denominator`);
}

const TOLD = { int: 'int', float: 'float', decimal: 'Decimal' } as const;

/** The type of results for numbers of two types. @throws TypeError for a float and a decimal */
export function coerced(a: NumberKind, b: NumberKind): NumberKind {
  if (a === b || b === 'int') return a;
  return a === 'int' ? b : raise('TypeError', `don't know how to coerce ${TOLD[a]} and ${TOLD[b]}`);
}

/**
 * A fraction as a number of a type; a fraction that is no whole number becomes a float instead of
 * an int.
 */
export function converted([above, below]: Fraction, kind: NumberKind): Value {
  if (kind === 'int' && below === 1n) return integer(above);
  const [n, d] = [integer(above), integer(below)];
  return kind === 'decimal'
    ? binary('/', call(decimalClass, [n]), call(decimalClass, [d]))
    : binary('/', n, d);
}

/** A pair of ints as a fraction. */
export function pairOf(v: Value): Fraction {
  const [above = 0, below = 1] = items(v).map((n) => BigInt(asInt(n) ?? 0));
  return [BigInt(above), BigInt(below)];
}

function commonDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) {
    tick(1 + (bitLength(x) >> 8));
    [x, y] = [y, x % y];
  }
  return x;
}
