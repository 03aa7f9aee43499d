import { tick } from '../../meter.ts';
import { raise } from '../../errors.ts';

/**
 * A decimal number as data. `sign` is -1 or 1; a finite number is sign * coefficient * 10 **
 * exponent.
 */
export type Dec = {
  readonly kind: 'finite' | 'infinite' | 'nan' | 'snan';
  readonly sign: 1 | -1;
  readonly coefficient: bigint;
  readonly exponent: number;
};

export function isFiniteDecimal(sign: 1 | -1, coefficient: bigint, exponent: number): Dec {
  return { kind: 'finite', sign, coefficient, exponent };
}

export function infinite(sign: 1 | -1): Dec {
  return { kind: 'infinite', sign, coefficient: 0n, exponent: 0 };
}

export const NAN: Dec = { kind: 'nan', sign: 1, coefficient: 0n, exponent: 0 };

export function isNaNDec(d: Dec): boolean {
  return d.kind === 'nan' || d.kind === 'snan';
}

export function isZero(d: Dec): boolean {
  return d.kind === 'finite' && d.coefficient === 0n;
}

/** Most digits of a computation; beyond, MemoryError. */
const MOST_DIGITS = 20_000;

/** 10 ** n, paid for. @throws MemoryError */
export function ten(n: number): bigint {
  if (n > MOST_DIGITS) raise('MemoryError', '');
  tick(n >> 2);
  return 10n ** BigInt(Math.max(0, n));
}

/** Decimal digits of a coefficient; 0 has one. */
export function digitsIn(coefficient: bigint): number {
  const { length } = coefficient.toString();
  tick(length >> 2);
  return length;
}

/** The exponent of the first digit. */
export function adjusted(d: Dec): number {
  return d.exponent + digitsIn(d.coefficient) - 1;
}

export const ROUNDINGS = [
  'ROUND_UP',
  'ROUND_DOWN',
  'ROUND_CEILING',
  'ROUND_FLOOR',
  'ROUND_HALF_UP',
  'ROUND_HALF_DOWN',
  'ROUND_HALF_EVEN',
  'ROUND_05UP',
] as const;
export type Rounding = (typeof ROUNDINGS)[number];

/**
 * A finite number with another exponent, rounded if necessary. `isExact` when no digit was lost.
 */
export function rescaled(
  d: Dec,
  exponent: number,
  rounding: Rounding,
): { readonly value: Dec; readonly isExact: boolean } {
  if (exponent <= d.exponent) {
    const coefficient = d.coefficient === 0n ? 0n : d.coefficient * ten(d.exponent - exponent);
    return { value: isFiniteDecimal(d.sign, coefficient, exponent), isExact: true };
  }
  const drop = exponent - d.exponent;
  // Digits far below the new last digit decide no tie: one digit stands for them.
  const far = drop > digitsIn(d.coefficient) + 1;
  const unit = far ? 10n : ten(drop);
  const source = far ? (d.coefficient === 0n ? 0n : 1n) : d.coefficient;
  const [whole, rest] = [source / unit, source % unit];
  const up = rest !== 0n && isUp(rounding, d.sign, whole % 10n, rest * 2n - unit);
  return {
    value: isFiniteDecimal(d.sign, up ? whole + 1n : whole, exponent),
    isExact: rest === 0n,
  };
}

/** -1, 0 or 1 for two numbers other than NaN. */
export function comparedDecimals(a: Dec, b: Dec): -1 | 0 | 1 {
  const rank = (d: Dec): number => (d.kind === 'infinite' ? 2 * d.sign : isZero(d) ? 0 : d.sign);
  const [x, y] = [rank(a), rank(b)];
  if (x !== y) return x < y ? -1 : 1;
  if (a.kind === 'infinite' || x === 0) return 0;
  const [high, low] = [adjusted(a), adjusted(b)];
  if (high !== low) return high < low === x > 0 ? -1 : 1;
  const shared = Math.min(a.exponent, b.exponent);
  const at = (d: Dec): bigint => d.coefficient * ten(d.exponent - shared);
  const [p, q] = [at(a), at(b)];
  if (p === q) return 0;
  return p < q === x > 0 ? -1 : 1;
}

/**
 * Whether rounding adds one to what is left. `twice` compares the cut-off part with a half: below
 * 0, 0, above 0.
 */
function isUp(rounding: Rounding, sign: 1 | -1, last: bigint, twice: bigint): boolean {
  switch (rounding) {
    case 'ROUND_UP':
      return true;
    case 'ROUND_DOWN':
      return false;
    case 'ROUND_CEILING':
      return sign > 0;
    case 'ROUND_FLOOR':
      return sign < 0;
    case 'ROUND_HALF_UP':
      return twice >= 0n;
    case 'ROUND_HALF_DOWN':
      return twice > 0n;
    case 'ROUND_HALF_EVEN':
      return twice > 0n || (twice === 0n && last % 2n === 1n);
    case 'ROUND_05UP':
      return last % 5n === 0n;
    default:
      return rounding satisfies never;
  }
}
