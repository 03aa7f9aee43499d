import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { ratio, truncated } from '../builtins/numbers.ts';
import { binary, mul } from '../objects/numbers/arithmetic.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import type { PyModule } from '../objects/classes/module.ts';
import { asInt, bitLength, float, indexOf, integer, toDouble } from '../objects/numbers/number.ts';
import { typeName } from '../objects/types.ts';
import {
  cos,
  exp,
  fractionOf,
  ln,
  log10,
  log10Of,
  log2,
  power,
  sin,
  squareRoot,
} from '../objects/numbers/precise.ts';
import type { Value } from '../objects/object.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { items } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { erf, erfc } from './error-function.ts';
import { gamma, lgamma } from './gamma.ts';
import { cbrt, frexp, ldexp, nextafter, remainder, ulp } from './floats.ts';

/** Exact sum of floats, as BigInt arithmetic on their fractions gives it. */
export function fsum(data: readonly Value[]): Value {
  const partials: number[] = [];
  const all = data.map((item) => toDouble(item));
  if (all.some((x) => !Number.isFinite(x))) {
    if (all.includes(Infinity) && all.includes(-Infinity))
      raise('ValueError', '-inf + inf in fsum');
    return float(all.reduce((sum, x) => (Number.isFinite(x) ? sum : sum + x), 0));
  }
  for (const item of all) {
    let x = item;
    let kept = 0;
    for (const partial of partials.slice()) {
      const [big, small] = Math.abs(x) < Math.abs(partial) ? [partial, x] : [x, partial];
      const high = big + small;
      const low = small - (high - big);
      if (low !== 0) partials[kept] = low;
      if (low !== 0) kept += 1;
      x = high;
    }
    partials.splice(kept, partials.length, x);
  }
  if (partials.some((partial) => !Number.isFinite(partial)))
    raise('OverflowError', 'intermediate overflow in fsum');
  const fractions = partials.map((partial) => ratio(partial));
  const under = fractions.reduce((most, [, d]) => (d > most ? d : most), 1n);
  const over = fractions.reduce((sum, [n, d]) => sum + n * (under / d), 0n);
  return float(toDouble(binary('/', integer(over), integer(under))));
}

/** The length of a vector, rounded once. */
export function norm(parts: readonly number[]): number {
  if (parts.some((x) => Math.abs(x) === Infinity)) return Infinity;
  if (parts.some((x) => Number.isNaN(x))) return Number.NaN;
  tick(parts.length * 8);
  const fractions = parts.map((x) => ratio(x));
  const under = fractions.reduce((most, [, d]) => (d > most ? d : most), 1n);
  const over = fractions.reduce((sum, [n, d]) => sum + (n * (under / d)) ** 2n, 0n);
  return squareRoot(over, under * under);
}

/** The module `math`. */
export const math: PyModule = moduleOf('math', {
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: float(Number.NaN),
  ceil: rounded('ceil', Math.ceil),
  floor: rounded('floor', Math.floor),
  trunc: rounded('trunc', Math.trunc),
  sqrt: real('sqrt', Math.sqrt),
  cbrt: real('cbrt', cbrt),
  exp: real('exp', exp),
  exp2: real('exp2', exp2),
  erf: real('erf', erf),
  erfc: real('erfc', erfc),
  gamma: real('gamma', gamma),
  lgamma: nativeFunction('lgamma(x, /)', (v: Value) => float(lgamma(toDouble(v)))),
  expm1: real('expm1', Math.expm1),
  sin: real('sin', sin),
  cos: real('cos', cos),
  tan: real('tan', Math.tan),
  asin: real('asin', Math.asin),
  acos: real('acos', Math.acos),
  atan: real('atan', Math.atan),
  sinh: real('sinh', Math.sinh),
  cosh: real('cosh', Math.cosh),
  tanh: real('tanh', Math.tanh),
  asinh: real('asinh', Math.asinh),
  acosh: real('acosh', Math.acosh),
  atanh: real('atanh', atanh),
  fabs: nativeFunction('fabs(x, /)', (v: Value) => float(Math.abs(toDouble(v)))),
  degrees: real('degrees', (x) => x * (180 / Math.PI)),
  radians: real('radians', (x) => x * (Math.PI / 180)),
  log1p: real('log1p', Math.log1p),
  log: nativeFunction('log(x, base=, /)', (v: Value, base) => {
    const over = logarithm(v, ln);
    if (base === undefined) return float(over);
    const under = logarithm(base, ln);
    return under === 0 ? raise('ZeroDivisionError', 'float division by zero') : float(over / under);
  }),
  log2: nativeFunction('log2(x, /)', (v: Value) => float(logarithm(v, log2))),
  log10: nativeFunction('log10(x, /)', (v: Value) => {
    const x = asInt(v) === undefined ? toDouble(v) : Number(v);
    return float(x > 0 && Number.isFinite(x) ? log10Of(x) : logarithm(v, log10));
  }),
  pow: nativeFunction('pow(x, y, /)', (x: Value, y: Value) => {
    if (toDouble(x) < 0 && !Number.isInteger(toDouble(y)) && Number.isFinite(toDouble(y)))
      raise('ValueError', 'math domain error');
    return toDouble(x) === 0 && toDouble(y) < 0
      ? raise('ValueError', 'math domain error')
      : binary('**', float(toDouble(x)), float(toDouble(y)));
  }),
  fmod: nativeFunction('fmod(x, y, /)', (x: Value, y: Value) =>
    (toDouble(y) === 0 && !Number.isNaN(toDouble(x))) ||
    (Math.abs(toDouble(x)) === Infinity && !Number.isNaN(toDouble(y)))
      ? raise('ValueError', 'math domain error')
      : float(toDouble(x) % toDouble(y)),
  ),
  atan2: nativeFunction('atan2(y, x, /)', (y: Value, x: Value) =>
    float(Math.atan2(toDouble(y), toDouble(x))),
  ),
  copysign: nativeFunction('copysign(x, y, /)', (x: Value, y: Value) => {
    const negative = toDouble(y) < 0 || Object.is(toDouble(y), -0);
    return float(negative ? -Math.abs(toDouble(x)) : Math.abs(toDouble(x)));
  }),
  hypot: new PyBuiltin('hypot', (args) => float(norm(args.map((arg) => toDouble(arg))))),
  isnan: nativeFunction('isnan(x, /)', (v: Value) => Number.isNaN(toDouble(v))),
  isinf: nativeFunction('isinf(x, /)', (v: Value) => Math.abs(toDouble(v)) === Infinity),
  isfinite: nativeFunction('isfinite(x, /)', (v: Value) => Number.isFinite(toDouble(v))),
  isclose: nativeFunction(
    'isclose(a, b, *, rel_tol=, abs_tol=)',
    (a: Value, b: Value, relative, absoluteTolerance) => isclose(a, b, relative, absoluteTolerance),
  ),
  gcd: whole('gcd', (...n) => n.reduce((a, b) => gcd(a, b), 0n)),
  lcm: whole('lcm', (...n) =>
    n.reduce((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * (b < 0n ? -b : b)), 1n),
  ),
  isqrt: nativeFunction('isqrt(n, /)', (v: Value) => integer(isqrt(integerOf(v)))),
  factorial: nativeFunction('factorial(x, /)', (v: Value) => factorial(v)),
  comb: nativeFunction('comb(n, k, /)', (n: Value, k: Value) => choose(n, k)),
  perm: nativeFunction('perm(n, k=, /)', (n: Value, k) =>
    k === undefined || k === null ? factorial(n) : arranged(n, k),
  ),
  prod: nativeFunction('prod(iterable, /, *, start=)', (v: Value, start) =>
    items(v).reduce((a, b) => mul(a, b), start === undefined ? 1 : start),
  ),
  fsum: nativeFunction('fsum(seq, /)', (v: Value) => fsum(items(v))),
  dist: nativeFunction('dist(p, q, /)', (p: Value, q: Value) => {
    const [a, b] = [items(p), items(q)];
    if (a.length !== b.length)
      raise('ValueError', 'both points must have the same number of dimensions');
    return float(norm(a.map((x, i) => toDouble(x) - toDouble(b[i] ?? 0))));
  }),
  modf: nativeFunction('modf(x, /)', (v: Value) => {
    const x = toDouble(v);
    const isNegative = x < 0 || Object.is(x, -0);
    return new PyTuple([
      float(Number.isFinite(x) ? x % 1 : Number.isNaN(x) ? x : isNegative ? -0 : 0),
      float(Math.trunc(x)),
    ]);
  }),
  frexp: nativeFunction('frexp(x, /)', (v: Value) => {
    const [m, e] = frexp(toDouble(v));
    return new PyTuple([float(m), e]);
  }),
  ldexp: nativeFunction('ldexp(x, i, /)', (x: Value, i: Value) => {
    const n = asInt(i);
    if (n === undefined) return raise('TypeError', 'Expected an int as second argument to ldexp.');
    return float(ldexp(toDouble(x), Math.max(-1e6, Math.min(1e6, Number(n)))));
  }),
  nextafter: nativeFunction('nextafter(x, y, /)', (x: Value, y: Value) =>
    float(nextafter(toDouble(x), toDouble(y))),
  ),
  ulp: nativeFunction('ulp(x, /)', (x: Value) => float(ulp(toDouble(x)))),
  remainder: nativeFunction('remainder(x, y, /)', (x: Value, y: Value) =>
    float(remainder(toDouble(x), toDouble(y))),
  ),
});

/**
 * A function of one float; NaN out of a number that is none, or of an
 * infinity, is a domain error as in C.
 */
function real(name: string, compute: (x: number) => number): Value {
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

function rounded(name: string, compute: (x: number) => number): Value {
  return nativeFunction(`${name}(x, /)`, (v: Value) => {
    const n = asInt(v);
    if (n !== undefined) return n;
    const own = v instanceof PyInstance ? v.special(`__${name}__`) : undefined;
    return own ?? truncated(compute(toDouble(v)));
  });
}

/** Logarithm of any positive number; an int may be beyond the range of floats. */
function logarithm(v: Value, log: (over: bigint, under: bigint) => number): number {
  const n = asInt(v);
  if (n !== undefined && !Number.isFinite(Number(n)) && n > 0) {
    const bits = bitLength(n);
    return log(BigInt(n), 1n << BigInt(bits)) + log(2n, 1n) * bits;
  }
  const x = n === undefined ? toDouble(v) : Number(n);
  if (x <= 0) raise('ValueError', 'math domain error');
  return Number.isFinite(x) ? log(...fractionOf(x)) : x;
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

function isqrt(n: bigint): bigint {
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

function factorial(v: Value): Value {
  if (asInt(v) === undefined)
    raise('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`);
  const n = indexOf(v);
  return n < 0 ? raise('ValueError', 'factorial() not defined for negative values') : product(2, n);
}

/** The product of the whole numbers from `low` to `high`; stops at the limit of ints. */
function product(low: number, high: number): Value {
  let result: Value = 1;
  for (let i = low; i <= high; i += 1) {
    tick(1);
    result = mul(result, i);
  }
  return result;
}

function choose(v: Value, w: Value): Value {
  const [n, k] = naturals(v, w);
  if (k > n) return 0;
  const least = Math.min(k, n - k);
  return binary('//', product(n - least + 1, n), product(2, least));
}

/** The arguments of `comb` and `perm`: their signs are looked at before their size. */
function naturals(v: Value, w: Value): readonly [number, number] {
  const [n, k] = [integerOf(v), integerOf(w)];
  if (n < 0n || k < 0n) raise('ValueError', `${n < 0n ? 'n' : 'k'} must be a non-negative integer`);
  return [indexOf(v), indexOf(w)];
}

function integerOf(v: Value | undefined): bigint {
  const n = v === undefined ? undefined : asInt(v);
  return n === undefined
    ? raise('TypeError', `'${typeName(v ?? null)}' object cannot be interpreted as an integer`)
    : BigInt(n);
}

function arranged(v: Value, w: Value): Value {
  const [n, k] = naturals(v, w);
  return k > n ? 0 : product(n - k + 1, n);
}

/** As in C, one at its pole is a domain error, not an infinity. */
function atanh(x: number): number {
  return Math.abs(x) === 1 ? Number.NaN : Math.atanh(x);
}

function exp2(x: number): number {
  return Number.isInteger(x) || !Number.isFinite(x) ? 2 ** x : power(2, x);
}

function isclose(
  a: Value,
  b: Value,
  relative: Value | undefined,
  absoluteTolerance: Value | undefined,
): boolean {
  const [x, y] = [toDouble(a), toDouble(b)];
  const [part, least] = [
    relative === undefined ? 1e-9 : toDouble(relative),
    absoluteTolerance === undefined ? 0 : toDouble(absoluteTolerance),
  ];
  if (part < 0 || least < 0) raise('ValueError', 'tolerances must be non-negative');
  if (x === y) return true;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  return Math.abs(x - y) <= Math.max(part * Math.max(Math.abs(x), Math.abs(y)), least);
}

function whole(name: string, compute: (...n: bigint[]) => bigint): Value {
  return new PyBuiltin(name, (args) => integer(compute(...args.map((arg) => integerOf(arg)))));
}
