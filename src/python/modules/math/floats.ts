import { raise } from '../../errors.ts';
import { exactly } from '../../text/float.ts';

/** Functions of C's math library on the bits of a double. */

/** Mantissa in [0.5, 1) and exponent: x = m * 2 ** e. */
export function frexp(x: number): readonly [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  const { mantissa, exponent } = exactly(x);
  const bits = mantissa.toString(2).length;
  const size = Number(mantissa) / 2 ** bits;
  return [x < 0 ? -size : size, exponent + bits];
}

/** x * 2 ** n, rounded once. @throws OverflowError */
export function ldexp(x: number, n: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const [m, e] = frexp(x);
  const power = e + n;
  if (power > 1024) raise('OverflowError', 'math range error');
  if (power < -1074) return x < 0 ? -0 : 0;
  const result =
    power > 1000
      ? m * 2 ** 1000 * 2 ** (power - 1000)
      : power < -1000
        ? m * 2 ** -50 * 2 ** (power + 50)
        : m * 2 ** power;
  return Number.isFinite(result) ? result : raise('OverflowError', 'math range error');
}

/** Roots of 2 and 4 and their inverses, for the remainder of an exponent by 3. */
const CUBE_ROOTS = [
  0.6299605249474365, 0.7937005259840997, 1, 1.2599210498948732, 1.5874010519681996,
];

/**
 * The cube root as the GNU C library computes it: one step of Halley's method from
 * a polynomial, up to 4 bits off.
 */
export function cbrt(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const [m, exponent] = frexp(Math.abs(x));
  const near =
    0.35489576504391984 +
    (1.508191937815849 -
      (2.114994941673713 -
        (2.4469312256353444 -
          (1.8346927748361308 - (0.7849323449766392 - 0.14526389938548637 * m) * m) * m) *
          m) *
        m) *
      m;
  const cube = near * near * near;
  const root = ((near * (cube + 2 * m)) / (2 * cube + m)) * (CUBE_ROOTS[2 + (exponent % 3)] ?? 1);
  return ldexp(x < 0 ? -root : root, Math.trunc(exponent / 3));
}

/** The neighbour of x in the direction of y. */
export function nextafter(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? 5e-324 : -5e-324;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const away = y > x === x > 0;
  view.setBigInt64(0, view.getBigInt64(0) + (away ? 1n : -1n));
  return view.getFloat64(0);
}

/** The value of the last bit of x. */
export function ulp(x: number): number {
  const size = Math.abs(x);
  if (!Number.isFinite(size)) return size;
  const above = nextafter(size, Infinity);
  return above === Infinity ? size - nextafter(size, 0) : above - size;
}

/**
 * IEEE remainder: x minus the multiple of y nearest to it, ties to the even one.
 * @throws ValueError
 */
export function remainder(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (!Number.isFinite(x) || y === 0) raise('ValueError', 'math domain error');
  if (!Number.isFinite(y)) return x;
  const [size, unit] = [Math.abs(x), Math.abs(y)];
  const rest = size % unit;
  const other = unit - rest;
  const near =
    rest < other ? rest : rest > other ? -other : rest - 2 * ((0.5 * (size - rest)) % unit);
  return x < 0 || Object.is(x, -0) ? -near : near;
}
