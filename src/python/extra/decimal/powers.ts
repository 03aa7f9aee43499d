import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { nanOf, product, quotient } from './compute.ts';
import type { DecimalContext } from './context.ts';
import {
  NAN,
  adjusted,
  digitsIn,
  isFiniteDecimal,
  infinite,
  isZero,
  rescaled,
  ten,
} from './number.ts';
import type { Dec } from './number.ts';

/** Roots, powers, exponentials and logarithms. */

const ONE = isFiniteDecimal(1, 1n, 0);

export function root(c: DecimalContext, d: Dec): Dec {
  const nan = nanOf(c, d);
  if (nan !== undefined) return nan;
  if (isZero(d)) return c.finish(isFiniteDecimal(d.sign, 0n, Math.floor(d.exponent / 2)));
  if (d.sign < 0) return c.invalid();
  if (d.kind === 'infinite') return d;
  const isOdd = d.exponent % 2 !== 0;
  const coefficient = isOdd ? d.coefficient * 10n : d.coefficient;
  const shift = c.prec + 1 - ((digitsIn(d.coefficient) + (isOdd ? 2 : 1)) >> 1);
  const [over, under] = [coefficient * ten(2 * shift), ten(-2 * shift)];
  const n = over / under;
  const found = squareRoot(n);
  const isExact = over % under === 0n && found * found === n;
  const half = Math.floor(d.exponent / 2);
  const nearest = c.copy({ rounding: 'ROUND_HALF_EVEN' });
  if (!isExact)
    return finished(
      c,
      nearest,
      isFiniteDecimal(1, found % 5n === 0n ? found + 1n : found, half - shift),
    );
  return finished(
    c,
    nearest,
    shift >= 0
      ? isFiniteDecimal(1, found / ten(shift), half)
      : isFiniteDecimal(1, found * ten(-shift), half),
  );
}

/** Larger than any exponent within a computation. */
const WIDEST = 999_999_999_999;
const GUARD = 14;

export function decimalExp(c: DecimalContext, d: Dec): Dec {
  const nan = nanOf(c, d);
  if (nan !== undefined) return nan;
  if (d.kind === 'infinite') return d.sign > 0 ? d : isFiniteDecimal(1, 0n, 0);
  if (isZero(d)) return ONE;
  if (adjusted(d) > 7)
    return c.finish(isFiniteDecimal(1, 1n, d.sign > 0 ? c.emax + 10 : c.tiny - 10));
  if (adjusted(d) < -c.prec - 2)
    return inexact(c, 1, d.sign > 0 ? ten(c.prec + 2) : ten(c.prec + 2) - 1n, c.prec + 2);
  return exponentialAt(c, d);
}

export function decimalLn(c: DecimalContext, d: Dec): Dec {
  const nan = nanOf(c, d);
  if (nan !== undefined) return nan;
  if (isZero(d)) return infinite(-1);
  if (d.sign < 0) return c.invalid();
  if (d.kind === 'infinite') return d;
  if (isOneOf(d)) return isFiniteDecimal(1, 0n, 0);
  const { value, places } = naturalLog(c, d);
  return inexact(c, value < 0n ? -1 : 1, value < 0n ? -value : value, places);
}

export function decimalLog10(c: DecimalContext, d: Dec): Dec {
  const nan = nanOf(c, d);
  if (nan !== undefined) return nan;
  if (isZero(d)) return infinite(-1);
  if (d.sign < 0) return c.invalid();
  if (d.kind === 'infinite') return d;
  const digits = d.coefficient.toString();
  if (/^10*$/.test(digits)) return c.finish(whole(adjusted(d)));
  const { value, places } = naturalLog(c, d);
  const unit = ten(places);
  const result = (value * unit) / logarithm(10n * unit, unit, places);
  return inexact(c, result < 0n ? -1 : 1, result < 0n ? -result : result, places);
}

export function decimalPower(c: DecimalContext, base: Dec, exponent: Dec): Dec {
  const nan = nanOf(c, base, exponent);
  if (nan !== undefined) return nan;
  if (isZero(exponent)) return isZero(base) ? c.invalid() : ONE;
  const isWhole = isInteger(exponent);
  const isOdd =
    isWhole &&
    digitsIn(exponent.coefficient) + exponent.exponent < 400 &&
    asBigInt(exponent) % 2n === 1n;
  const sign = base.sign < 0 && isOdd ? -1 : 1;
  if (isZero(base)) {
    return exponent.sign < 0 ? infinite(sign) : isFiniteDecimal(sign, 0n, 0);
  }
  if (base.sign < 0 && !isWhole) return c.invalid();
  if (base.kind === 'infinite')
    return exponent.sign < 0 ? isFiniteDecimal(sign, 0n, 0) : infinite(sign);
  const isOne = isOneOf(base);
  if (exponent.kind === 'infinite') {
    if (isOne) return inexactOne(c);
    return adjusted(base) >= 0 === exponent.sign > 0
      ? infinite(1)
      : c.finish(isFiniteDecimal(1, 0n, 0));
  }
  if (isOne && !isWhole) return inexactOne(c);
  return isWhole ? wholePower(c, base, exponent, sign) : realPower(c, base, exponent);
}

/** The integer part of a square root. */
function squareRoot(n: bigint): bigint {
  if (n < 2n) return n;
  tick(n.toString().length >> 1);
  let guess = ten(Math.ceil(digitsIn(n) / 2));
  for (;;) {
    const next = (guess + n / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Rounds a number of another context; its signals go to the first context. */
function finished(c: DecimalContext, by: DecimalContext, d: Dec): Dec {
  const made = by.finish(d);
  c.flags = new Set([...c.flags, ...by.flags]);
  return made;
}

/** An inexact result with all digits of the precision. */
function inexact(c: DecimalContext, sign: 1 | -1, value: bigint, places: number): Dec {
  const nearest = c.copy({ rounding: 'ROUND_HALF_EVEN' });
  // Appends a one far behind the digits, because no exact result of these functions ends in zeros.
  return finished(c, nearest, isFiniteDecimal(sign, value * 10n + 1n, -places - 1));
}

/** e ** d with enough digits for the precision. */
function exponentialAt(c: DecimalContext, d: Dec): Dec {
  const decade = 2.302585092994046;
  const leading = d.sign * Number(d.coefficient.toString().slice(0, 17));
  const cut = Math.max(0, digitsIn(d.coefficient) - 17);
  const size = Number(`${leading}e${d.exponent + cut}`);
  const power = Math.floor(size / decade);
  // e ** d = 10 ** power * e ** (d - power * ln 10)
  const places = c.prec + GUARD + Math.max(0, String(Math.abs(power)).length);
  const unit = ten(places);
  const rest = fixed(d, places) - BigInt(power) * logarithm(10n * unit, unit, places);
  const value = exponentialOf(rest, unit);
  const nearest = c.copy({ rounding: 'ROUND_HALF_EVEN' });
  return finished(c, nearest, isFiniteDecimal(1, value * 10n + 1n, power - places - 1));
}

/** A finite number as a fixed-point integer with `places` digits after the point, rounded down. */
function fixed(d: Dec, places: number): bigint {
  const shift = d.exponent + places;
  const size = shift >= 0 ? d.coefficient * ten(shift) : d.coefficient / ten(-shift);
  return d.sign < 0 ? -size : size;
}

/** ln(x / unit) * unit, by Newton's method from a double. */
function logarithm(x: bigint, unit: bigint, places: number): bigint {
  const scale = digitsIn(x) - 1 - places;
  const lead = Number(x / ten(Math.max(0, digitsIn(x) - 17))) / 10 ** Math.min(16, digitsIn(x) - 1);
  let y =
    (BigInt(Math.round((Math.log(lead) + scale * Math.LN10) * 1e12)) * unit) / 1_000_000_000_000n;
  for (let digits = 10; digits < places * 2 + 20; digits *= 2) {
    const e = exponentialOf(y, unit);
    y += (2n * unit * (x - e)) / (x + e);
  }
  return y;
}

/** e ** (y / unit) * unit for any y; the integer part by multiplication. */
function exponentialOf(y: bigint, unit: bigint): bigint {
  const whole = y / unit;
  const rest = y - whole * unit;
  let result = exponential(rest, unit);
  let base = exponential(unit, unit);
  for (let n = whole < 0n ? -whole : whole; n > 0n; n >>= 1n) {
    if (n % 2n === 1n) result = whole < 0n ? (result * unit) / base : (result * base) / unit;
    base = (base * base) / unit;
  }
  return result;
}

/** e ** (x / unit) * unit for a small x. */
function exponential(x: bigint, unit: bigint): bigint {
  // Halves the argument until the series is short, then squares the result as often.
  const halvings = 12;
  const small = x >> BigInt(halvings);
  let [term, total] = [unit, unit];
  for (let n = 1n; term !== 0n; n += 1n) {
    tick(1 + (unit.toString().length >> 4));
    term = (term * small) / (unit * n);
    total += term;
    if (term === -1n) break;
  }
  for (let i = 0; i < halvings; i += 1) total = (total * total) / unit;
  return total;
}

function isOneOf(d: Dec): boolean {
  return adjusted(d) === 0 && d.exponent <= 0 && d.coefficient === ten(-d.exponent);
}

function naturalLog(
  c: DecimalContext,
  d: Dec,
): { readonly value: bigint; readonly places: number } {
  // A logarithm near 1 begins with zeros, which need more digits.
  const power = adjusted(d);
  const lost = power === 0 || power === -1 ? zerosOf(d) : 0;
  const places = c.prec + GUARD + lost;
  const unit = ten(places);
  const lead = fixed(isFiniteDecimal(1, d.coefficient, d.exponent - power), places);
  const value =
    logarithm(lead, unit, places) +
    (power === 0 ? 0n : BigInt(power) * logarithm(10n * unit, unit, places));
  return { value, places };
}

/** The number of zeros after the point of the distance to 1. */
function zerosOf(d: Dec): number {
  const { coefficient, exponent } = rescaled(d, Math.min(d.exponent, 0), 'ROUND_DOWN').value;
  const away = coefficient - ten(-exponent);
  return Math.max(0, -exponent - digitsIn(away < 0n ? -away : away));
}

function whole(n: number): Dec {
  return isFiniteDecimal(n < 0 ? -1 : 1, BigInt(Math.abs(n)), 0);
}

function isInteger(d: Dec): boolean {
  return (
    d.kind === 'finite' &&
    (d.exponent >= 0 ||
      d.coefficient % ten(Math.min(-d.exponent, digitsIn(d.coefficient) + 1)) === 0n)
  );
}

function asBigInt(d: Dec): bigint {
  return d.exponent >= 0 ? d.coefficient * ten(d.exponent) : d.coefficient / ten(-d.exponent);
}

function inexactOne(c: DecimalContext): Dec {
  c.signal('Inexact');
  c.signal('Rounded');
  return isFiniteDecimal(1, ten(c.prec - 1), 1 - c.prec);
}

/** By squaring; each step rounds to a few more digits than needed, as libmpdec does. */
function wholePower(c: DecimalContext, base: Dec, exponent: Dec, sign: 1 | -1): Dec {
  const n =
    digitsIn(exponent.coefficient) + exponent.exponent > 19 ? undefined : asBigInt(exponent);
  const size = adjusted(base) * Number(n ?? 10n ** 19n) * exponent.sign;
  const isOne = isOneOf(base);
  if (!isOne && (n === undefined || Math.abs(size) > 4e6)) {
    const isLarge = adjusted(base) >= 0 === exponent.sign > 0;
    return c.finish(isFiniteDecimal(sign, 1n, isLarge ? c.emax + 10 : c.tiny - 10));
  }
  if (n === undefined) return inexactOne(c);
  const extra = digitsIn(exponent.coefficient) + exponent.exponent + 2;
  const work = c.copy({
    prec: c.prec + extra + (exponent.sign < 0 ? 1 : 0),
    rounding: 'ROUND_HALF_EVEN',
    traps: new Set(),
    emax: WIDEST,
    emin: -WIDEST,
  });
  const positive = isFiniteDecimal(1, base.coefficient, base.exponent);
  const start = exponent.sign < 0 ? quotient(work, ONE, positive) : positive;
  let result = start;
  for (const bit of n.toString(2).slice(1)) {
    tick(4 + ((work.prec * work.prec) >> 8));
    result = product(work, result, result);
    if (bit === '1') result = product(work, result, start);
  }
  if (result.kind === 'infinite') return c.finish(isFiniteDecimal(sign, 1n, c.emax + 10));
  return c.finish(isZero(result) ? isFiniteDecimal(sign, 1n, c.tiny - 10) : { ...result, sign });
}

function realPower(c: DecimalContext, base: Dec, exponent: Dec): Dec {
  const digits = c.prec + GUARD + 4 + Math.max(0, adjusted(exponent) + 1);
  if (digits > 2000) raise('MemoryError', '');
  const work = c.copy({
    prec: digits,
    rounding: 'ROUND_HALF_EVEN',
    traps: new Set(),
    emax: WIDEST,
    emin: -WIDEST,
  });
  const log = decimalLn(work, base);
  if (log.kind !== 'finite') return NAN;
  const raised = product(work, log, exponent);
  if (adjusted(raised) > 7)
    return c.finish(isFiniteDecimal(1, 1n, raised.sign > 0 ? c.emax + 10 : c.tiny - 10));
  const value = decimalExp(work, raised);
  const nearest = c.copy({ rounding: 'ROUND_HALF_EVEN' });
  // An exact result looks like a rounded one: zeros up to the precision.
  const cut = rescaled(value, adjusted(value) - c.prec - 3, 'ROUND_HALF_EVEN').value;
  c.signal('Inexact');
  return finished(c, nearest, cut);
}
