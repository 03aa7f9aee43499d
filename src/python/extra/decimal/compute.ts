import { tick } from '../../meter.ts';
import type { DecimalContext } from './context.ts';
import {
  NAN,
  adjusted,
  comparedDecimals,
  digitsIn,
  isFiniteDecimal,
  infinite,
  isNaNDec,
  isZero,
  rescaled,
  ten,
} from './number.ts';
import type { Dec } from './number.ts';

/**
 * The arithmetic of decimal numbers: every function computes the exact result and lets the context
 * round it.
 */

/** The result of an operation with NaN operands; `undefined` without any. */
export function nanOf(c: DecimalContext, ...operands: readonly Dec[]): Dec | undefined {
  const signalling = operands.find((d) => d.kind === 'snan');
  if (signalling !== undefined) {
    c.invalid();
    return { ...signalling, kind: 'nan' };
  }
  const quiet = operands.find(isNaNDec);
  return quiet && c.finish(quiet);
}

export function negated(d: Dec): Dec {
  return { ...d, sign: d.sign > 0 ? -1 : 1 };
}

export function absolute(d: Dec): Dec {
  return { ...d, sign: 1 };
}

/** Unary plus: rounds, and removes the sign of a zero. */
export function decimalPlus(c: DecimalContext, d: Dec): Dec {
  return nanOf(c, d) ?? c.finish(isZero(d) && c.rounding !== 'ROUND_FLOOR' ? absolute(d) : d);
}

export function sum(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  if (a.kind === 'infinite') return b.kind === 'infinite' && a.sign !== b.sign ? c.invalid() : a;
  if (b.kind === 'infinite') return b;
  const least = Math.min(a.exponent, b.exponent);
  const zeroSign = a.sign === b.sign ? a.sign : c.rounding === 'ROUND_FLOOR' ? -1 : 1;
  if (isZero(a) && isZero(b)) return c.finish(isFiniteDecimal(zeroSign, 0n, least));
  if (isZero(a)) return c.finish(padded(c, b, least));
  if (isZero(b)) return c.finish(padded(c, a, least));
  const [x, y] = aligned(c, a, b);
  const total = BigInt(x.sign) * x.coefficient + BigInt(y.sign) * y.coefficient;
  if (total === 0n) return c.finish(isFiniteDecimal(zeroSign, 0n, least));
  return c.finish(isFiniteDecimal(total < 0n ? -1 : 1, total < 0n ? -total : total, x.exponent));
}

export function product(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  const sign = signOf(a, b);
  if (a.kind === 'infinite' || b.kind === 'infinite')
    return isZero(a) || isZero(b) ? c.invalid() : infinite(sign);
  tick((digitsIn(a.coefficient) * digitsIn(b.coefficient)) >> 8);
  return c.finish(isFiniteDecimal(sign, a.coefficient * b.coefficient, a.exponent + b.exponent));
}

export function quotient(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  const sign = signOf(a, b);
  if (a.kind === 'infinite') return b.kind === 'infinite' ? c.invalid() : infinite(sign);
  if (b.kind === 'infinite') return c.finish(isFiniteDecimal(sign, 0n, c.tiny));
  if (isZero(b)) return byZero(c, a, sign);
  const ideal = a.exponent - b.exponent;
  if (isZero(a)) return c.finish(isFiniteDecimal(sign, 0n, ideal));
  const shift = digitsIn(b.coefficient) - digitsIn(a.coefficient) + c.prec + 1;
  const [over, under] = [a.coefficient * ten(shift), b.coefficient * ten(-shift)];
  tick((c.prec * c.prec) >> 8);
  const whole = over / under;
  const exponent = ideal - shift;
  if (over % under !== 0n)
    return c.finish(isFiniteDecimal(sign, whole % 5n === 0n ? whole + 1n : whole, exponent));
  return c.finish(trimmed(isFiniteDecimal(sign, whole, exponent), ideal));
}

/** Removes trailing zeros, up to the exponent `most`. */
export function trimmed(d: Dec, most: number): Dec {
  let { coefficient, exponent } = d;
  while (exponent < most && coefficient !== 0n && coefficient % 10n === 0n) {
    tick(1);
    coefficient /= 10n;
    exponent += 1;
  }
  return isFiniteDecimal(d.sign, coefficient, exponent);
}

export function wholeQuotient(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  if (a.kind === 'infinite') return b.kind === 'infinite' ? c.invalid() : infinite(signOf(a, b));
  return isZero(b) ? byZero(c, a, signOf(a, b)) : c.finish(divided(c, a, b)[0]);
}

export function decimalRemainder(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  if (a.kind === 'infinite') return c.invalid();
  if (isZero(b)) return isZero(a) ? c.invalid('DivisionUndefined') : c.invalid();
  return c.finish(divided(c, a, b)[1]);
}

/** `divmod`: the first of the two results that signals decides. */
export function quotientAndRemainder(c: DecimalContext, a: Dec, b: Dec): readonly [Dec, Dec] {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return [nan, nan];
  if (a.kind === 'infinite')
    return b.kind === 'infinite' ? [c.invalid(), NAN] : [infinite(signOf(a, b)), c.invalid()];
  if (!isZero(b)) {
    const [whole, rest] = divided(c, a, b);
    return [whole, isNaNDec(rest) ? rest : c.finish(rest)];
  }
  if (isZero(a)) return [c.invalid('DivisionUndefined'), NAN];
  c.signalAll('InvalidOperation', 'DivisionByZero');
  return [infinite(signOf(a, b)), NAN];
}

/** `quantize`: gives `a` the exponent of `like`. */
export function quantized(c: DecimalContext, a: Dec, like: Dec, rounding = c.rounding): Dec {
  const nan = nanOf(c, a, like);
  if (nan !== undefined) return nan;
  if (a.kind === 'infinite' || like.kind === 'infinite')
    return a.kind === like.kind ? a : c.invalid();
  if (like.exponent < c.tiny || like.exponent > c.emax) return c.invalid();
  if (isZero(a)) return c.finish(isFiniteDecimal(a.sign, 0n, like.exponent));
  if (adjusted(a) > c.emax || adjusted(a) - like.exponent + 1 > c.prec) return c.invalid();
  const { value, isExact } = rescaled(a, like.exponent, rounding);
  if (
    digitsIn(value.coefficient) > c.prec ||
    (value.coefficient !== 0n && adjusted(value) > c.emax)
  )
    return c.invalid();
  if (!isExact) c.signal('Inexact');
  if (value.exponent > a.exponent) c.signal('Rounded');
  return value;
}

/** The nearest integer in a direction; its exponent is 0 unless that of `a` is larger. */
export function integral(c: DecimalContext, a: Dec, rounding = c.rounding): Dec {
  return (
    nanOf(c, a) ?? (a.kind === 'infinite' || a.exponent >= 0 ? a : rescaled(a, 0, rounding).value)
  );
}

/** Removes trailing zeros. */
export function normalized(c: DecimalContext, a: Dec): Dec {
  const nan = nanOf(c, a);
  if (nan !== undefined) return nan;
  const d = c.finish(a);
  if (d.kind === 'infinite') return d;
  return isZero(d) ? isFiniteDecimal(d.sign, 0n, 0) : trimmed(d, c.emax);
}

/** -1, 0, 1, or NaN when an operand is NaN. */
export function comparison(c: DecimalContext, a: Dec, b: Dec): Dec {
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  const order = comparedDecimals(a, b);
  return isFiniteDecimal(order < 0 ? -1 : 1, order === 0 ? 0n : 1n, 0);
}

/**
 * The larger or the smaller number. A number beats a quiet NaN; sign and exponent decide between
 * equals.
 */
export function extreme(c: DecimalContext, a: Dec, b: Dec, wanted: 1 | -1): Dec {
  if (a.kind === 'nan' && b.kind !== 'nan' && b.kind !== 'snan') return c.finish(b);
  if (b.kind === 'nan' && a.kind !== 'nan' && a.kind !== 'snan') return c.finish(a);
  const nan = nanOf(c, a, b);
  if (nan !== undefined) return nan;
  const order = comparedDecimals(a, b) || total(a, b);
  return c.finish(order * wanted >= 0 ? a : b);
}

/** Appends zeros down to an exponent, as far as the precision allows. */
function padded(c: DecimalContext, d: Dec, exponent: number): Dec {
  return rescaled(
    d,
    Math.min(d.exponent, Math.max(exponent, d.exponent - c.prec - 1)),
    'ROUND_DOWN',
  ).value;
}

/**
 * Two numbers with one exponent. A number too small to affect the result is replaced by a larger
 * one that is too small as well.
 */
function aligned(c: DecimalContext, a: Dec, b: Dec): readonly [Dec, Dec] {
  if (a.exponent < b.exponent) {
    const [y, x] = aligned(c, b, a);
    return [x, y];
  }
  const low = a.exponent + Math.min(-1, digitsIn(a.coefficient) - c.prec - 2);
  const small = adjusted(b) < low ? isFiniteDecimal(b.sign, 1n, low) : b;
  return [rescaled(a, small.exponent, 'ROUND_DOWN').value, small];
}

function signOf(a: Dec, b: Dec): 1 | -1 {
  return a.sign === b.sign ? 1 : -1;
}

function byZero(c: DecimalContext, a: Dec, sign: 1 | -1): Dec {
  if (isZero(a)) return c.invalid('DivisionUndefined');
  c.signal('DivisionByZero');
  return infinite(sign);
}

/** Quotient and remainder, exact, of finite numbers with a divisor other than zero. */
function divided(c: DecimalContext, a: Dec, b: Dec): readonly [Dec, Dec] {
  const sign = signOf(a, b);
  const ideal = b.kind === 'infinite' ? a.exponent : Math.min(a.exponent, b.exponent);
  if (isZero(a) || b.kind === 'infinite' || adjusted(a) - adjusted(b) <= -2)
    return [isFiniteDecimal(sign, 0n, 0), rescaled(a, ideal, c.rounding).value];
  if (adjusted(a) - adjusted(b) > c.prec) return [c.invalid('DivisionImpossible'), NAN];
  const [over, under] = [
    a.coefficient * ten(a.exponent - ideal),
    b.coefficient * ten(b.exponent - ideal),
  ];
  const whole = over / under;
  if (digitsIn(whole) > c.prec) return [c.invalid('DivisionImpossible'), NAN];
  return [isFiniteDecimal(sign, whole, 0), isFiniteDecimal(a.sign, over % under, ideal)];
}

/** The order of equal numbers: by sign, then by exponent. */
function total(a: Dec, b: Dec): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  return (a.exponent - b.exponent) * a.sign;
}
