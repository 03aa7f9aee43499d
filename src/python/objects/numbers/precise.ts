import { exactly } from '../../text/float.ts';

/**
 * Logarithm, exponential and power to the last bit. The C library rounds them correctly in almost
 * all cases and V8 does not, so this file computes them with integers in fixed point (FRACTION
 * bits) and rounds once.
 */
const FRACTION = 140n;
const ONE = 1n << FRACTION;

const LN2 = atanhTwice(ONE / 3n);
const LN10 = LN2 * 3n + atanhTwice(ONE / 9n);

/** Natural logarithm of a positive fraction. */
export function ln(over: bigint, under = 1n): number {
  return nearest(lnOf(over, under), ONE);
}

/** Logarithm to the base 2 of a positive fraction; exact for powers of two. */
export function log2(over: bigint, under = 1n): number {
  return nearest(lnOf(over, under), LN2);
}

/** Logarithm to the base 10 of a positive fraction, rounded once. */
export function log10(over: bigint, under = 1n): number {
  return nearest(lnOf(over, under), LN10);
}

/**
 * Logarithm to the base 10 of a positive double as the GNU C library computes it: from the natural
 * logarithm of the mantissa, which costs a bit or two.
 */
export function log10Of(x: number): number {
  const { mantissa, exponent } = exactly(x);
  const bits = mantissa.toString(2).length - 1;
  const power = exponent + bits;
  const twos = power < 0 ? power + 1 : power;
  const scaled = asFraction((Number(mantissa) / 2 ** bits) * (power < 0 ? 0.5 : 1));
  const low = twos * 3.694239077158931e-13 + 0.4342944819032518 * ln(...scaled);
  return low + twos * 0.30102999566361177;
}

/** The fraction of a positive finite double. */
export const fractionOf = asFraction;

/** e ** x. */
export function exp(x: number): number {
  if (x === 0 || !Number.isFinite(x) || Math.abs(x) > 800) return Math.exp(x);
  const [over, under] = asFraction(x);
  const fixed = (over << FRACTION) / under;
  return expOf(x < 0 ? -fixed : fixed);
}

/** x ** y of a positive finite x and a finite y. */
export function power(x: number, y: number): number {
  const [a, b] = asFraction(x);
  const [over, under] = asFraction(y);
  const product = (lnOf(a, b) * over) / under;
  return expOf(y < 0 ? -product : product);
}

/** The square root of a fraction of at least 0, rounded once. */
export function squareRoot(over: bigint, under = 1n): number {
  if (over === 0n) return 0;
  const length = over.toString(2).length - under.toString(2).length;
  const shift = 140 - length + (length % 2 === 0 ? 0 : 1);
  const scaled = shift >= 0 ? (over << BigInt(shift)) / under : over / (under << BigInt(-shift));
  const root = integerRoot(scaled);
  const isExact =
    root * root === scaled &&
    (shift >= 0 ? (over << BigInt(shift)) % under : over % (under << BigInt(-shift))) === 0n;
  return scaledDown(root * 2n + (isExact ? 0n : 1n), -shift / 2 - 1);
}

/** The integer part of a square root. */
export function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

/** A quarter turn, from Machin's sum of two arctangents. */
const QUARTER = ((): bigint => {
  const arctan = (n: bigint): bigint => {
    let sum = 0n;
    let power = ONE / n;
    for (let i = 1n; power !== 0n; i += 2n) {
      sum += i % 4n === 1n ? power / i : -power / i;
      power /= n * n;
    }
    return sum;
  };
  return (16n * arctan(5n) - 4n * arctan(239n)) / 2n;
})();

/** For larger angles the fixed point has too few bits. */
const LARGEST_ANGLE = 2 ** 20;

/** Sine and cosine, rounded once; JavaScript's own for very large and very small angles. */
export function sin(x: number): number {
  return Math.abs(x) < 1e-8 || !(Math.abs(x) < LARGEST_ANGLE) ? Math.sin(x) : sineOf(x, 0n);
}

export function cos(x: number): number {
  return Math.abs(x) < 1e-8 || !(Math.abs(x) < LARGEST_ANGLE) ? Math.cos(x) : sineOf(x, 1n);
}

/** The double nearest to a quotient. */
function nearest(over: bigint, under: bigint): number {
  if (over < 0n) return -nearest(-over, under);
  if (over === 0n) return 0;
  const shift = over.toString(2).length - under.toString(2).length - 66;
  const [n, d] = shift > 0 ? [over, under << BigInt(shift)] : [over << BigInt(-shift), under];
  const bits = (n / d) * 2n + (n % d === 0n ? 0n : 1n);
  return scaledDown(bits, shift - 1);
}

/** n * 2 ** shift, rounded once, also for subnormal doubles. */
function scaledDown(n: bigint, shift: number): number {
  const length = n.toString(2).length;
  const lost = -1074 - shift;
  if (lost <= 0 || length - lost > 53)
    return Number(n) * 2 ** Math.max(shift, -1000) * 2 ** Math.min(0, shift + 1000);
  const half = 1n << BigInt(lost - 1);
  const [kept, rest] = [n >> BigInt(lost), n & (half * 2n - 1n)];
  return Number(rest > half || (rest === half && kept % 2n === 1n) ? kept + 1n : kept) * 5e-324;
}

/** Natural logarithm of over / under, both positive. */
function lnOf(over: bigint, under: bigint): bigint {
  const shift = BigInt(over.toString(2).length - under.toString(2).length);
  const scaled =
    shift >= 0n ? (over << FRACTION) / (under << shift) : (over << (FRACTION - shift)) / under;
  const [ratio, twos] = scaled > (ONE * 3n) >> 1n ? [scaled >> 1n, shift + 1n] : [scaled, shift];
  return twos * LN2 + atanhTwice(((ratio - ONE) << FRACTION) / (ratio + ONE));
}

/** 2 * atanh(z) of a small z: the logarithm of (1 + z) / (1 - z). */
function atanhTwice(z: bigint): bigint {
  const square = times(z, z);
  let sum = 0n;
  let power = z;
  for (let n = 1n; power !== 0n && power !== -1n; n += 2n) {
    sum += power / n;
    power = times(power, square);
  }
  return sum * 2n;
}

function times(a: bigint, b: bigint): bigint {
  return (a * b) >> FRACTION;
}

function asFraction(x: number): readonly [bigint, bigint] {
  const { mantissa, exponent } = exactly(x);
  return exponent >= 0 ? [mantissa << BigInt(exponent), 1n] : [mantissa, 1n << BigInt(-exponent)];
}

/** e ** x of a fixed-point number. */
function expOf(x: bigint): number {
  const twos = x / LN2 - (x < 0n && x % LN2 !== 0n ? 1n : 0n);
  if (twos > 1100n) return Infinity;
  if (twos < -1100n) return 0;
  const rest = x - twos * LN2;
  let sum = ONE;
  let term = ONE;
  for (let n = 1n; term !== 0n; n += 1n) {
    term = times(term, rest) / n;
    sum += term;
  }
  return scaledDown(sum, Number(twos - FRACTION));
}

/** Sine of an angle plus a number of quarter turns. */
function sineOf(x: number, quarters: bigint): number {
  const [over, under] = asFraction(x);
  const size = (over << FRACTION) / under;
  const angle = x < 0 ? -size : size;
  const turns = angle / QUARTER - (angle < 0n ? 1n : 0n);
  const rest = angle - turns * QUARTER;
  const phase = (((turns + quarters) % 4n) + 4n) % 4n;
  const square = times(rest, rest);
  const isSine = phase % 2n === 0n;
  let term = isSine ? rest : ONE;
  let sum = term;
  for (let n = isSine ? 2n : 1n; term !== 0n && term !== -1n; n += 2n) {
    term = -times(term, square) / (n * (n + 1n));
    sum += term;
  }
  return nearest(phase < 2n ? sum : -sum, ONE);
}
