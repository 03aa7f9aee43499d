import { raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { truncated } from '../builtins/numbers.ts';
import { binary, mul } from '../objects/arithmetic.ts';
import { moduleOf } from '../objects/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/native.ts';
import type { PyModule } from '../objects/module.ts';
import { asInt, bitLength, float, indexOf, integer, toDouble } from '../objects/number.ts';
import { typeName } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { PyInstance } from '../objects/instance.ts';
import { items } from '../objects/protocol.ts';
import { PyTuple } from '../objects/tuple.ts';

/** A function of one float; NaN out of a number that is none, or of an infinity, is a domain error as in C. */
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
function logarithm(v: Value, log: (x: number) => number): number {
  if (typeof v === 'bigint' && v > 0n) {
    const shift = Math.max(0, bitLength(v) - 60);
    return log(Number(v >> BigInt(shift))) + shift * log(2);
  }
  const x = toDouble(v);
  if (x <= 0 || Number.isNaN(log(x)) !== Number.isNaN(x)) raise('ValueError', 'math domain error');
  return log(x);
}

function integerOf(v: Value | undefined): bigint {
  const n = v === undefined ? undefined : asInt(v);
  return n === undefined
    ? raise('TypeError', `'${typeName(v ?? null)}' object cannot be interpreted as an integer`)
    : BigInt(n);
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

/** The product of the whole numbers from `low` to `high`; stops at the limit of ints. */
function product(low: number, high: number): Value {
  let result: Value = 1;
  for (let i = low; i <= high; i += 1) {
    tick(1);
    result = mul(result, i);
  }
  return result;
}

function factorial(v: Value): Value {
  if (asInt(v) === undefined) raise('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`);
  const n = indexOf(v);
  return n < 0 ? raise('ValueError', 'factorial() not defined for negative values') : product(2, n);
}

function choose(v: Value, w: Value): Value {
  const [n, k] = [indexOf(v), indexOf(w)];
  if (n < 0 || k < 0) raise('ValueError', `${n < 0 ? 'n' : 'k'} must be a non-negative integer`);
  if (k > n) return 0;
  const least = Math.min(k, n - k);
  return binary('//', product(n - least + 1, n), product(2, least));
}

/** Exact sum of floats, as BigInt arithmetic on their fractions gives it. */
function fsum(v: Value): Value {
  const partials: number[] = [];
  for (const item of items(v)) {
    let x = toDouble(item);
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
  return float(partials.reduceRight((sum, partial) => sum + partial, 0));
}

function isclose(a: Value, b: Value, relative: Value | undefined, absoluteTolerance: Value | undefined): boolean {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (x === y) return true;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  const tolerance = Math.max(
    toDouble(relative ?? 1e-9) * Math.max(Math.abs(x), Math.abs(y)),
    toDouble(absoluteTolerance ?? 0),
  );
  return Math.abs(x - y) <= tolerance;
}

const whole = (name: string, compute: (...n: bigint[]) => bigint): Value =>
  new PyBuiltin(name, (args) => integer(compute(...args.map((arg) => integerOf(arg)))));

/** The module `math`. */
export const math: PyModule = moduleOf('math', {
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Infinity,
  nan: Number.NaN,
  ceil: rounded('ceil', Math.ceil),
  floor: rounded('floor', Math.floor),
  trunc: rounded('trunc', Math.trunc),
  sqrt: real('sqrt', Math.sqrt),
  cbrt: real('cbrt', Math.cbrt),
  exp: real('exp', Math.exp),
  expm1: real('expm1', Math.expm1),
  sin: real('sin', Math.sin),
  cos: real('cos', Math.cos),
  tan: real('tan', Math.tan),
  asin: real('asin', Math.asin),
  acos: real('acos', Math.acos),
  atan: real('atan', Math.atan),
  sinh: real('sinh', Math.sinh),
  cosh: real('cosh', Math.cosh),
  tanh: real('tanh', Math.tanh),
  fabs: nativeFunction('fabs(x, /)', (v: Value) => float(Math.abs(toDouble(v)))),
  degrees: real('degrees', (x) => x * (180 / Math.PI)),
  radians: real('radians', (x) => x * (Math.PI / 180)),
  log1p: real('log1p', Math.log1p),
  log: nativeFunction('log(x, base=, /)', (v: Value, base) => {
    const over = logarithm(v, Math.log);
    if (base === undefined) return float(over);
    const under = logarithm(base, Math.log);
    return under === 0 ? raise('ZeroDivisionError', 'float division by zero') : float(over / under);
  }),
  log2: nativeFunction('log2(x, /)', (v: Value) => float(logarithm(v, Math.log2))),
  log10: nativeFunction('log10(x, /)', (v: Value) => float(logarithm(v, Math.log10))),
  pow: nativeFunction('pow(x, y, /)', (x: Value, y: Value) => {
    if (toDouble(x) < 0 && !Number.isInteger(toDouble(y)) && Number.isFinite(toDouble(y)))
      raise('ValueError', 'math domain error');
    return toDouble(x) === 0 && toDouble(y) < 0
      ? raise('ValueError', 'math domain error')
      : binary('**', float(toDouble(x)), float(toDouble(y)));
  }),
  fmod: nativeFunction('fmod(x, y, /)', (x: Value, y: Value) =>
    toDouble(y) === 0 ? raise('ValueError', 'math domain error') : float(toDouble(x) % toDouble(y)),
  ),
  atan2: nativeFunction('atan2(y, x, /)', (y: Value, x: Value) => float(Math.atan2(toDouble(y), toDouble(x)))),
  copysign: nativeFunction('copysign(x, y, /)', (x: Value, y: Value) => {
    const negative = toDouble(y) < 0 || Object.is(toDouble(y), -0);
    return float(negative ? -Math.abs(toDouble(x)) : Math.abs(toDouble(x)));
  }),
  hypot: new PyBuiltin('hypot', (args) => float(Math.hypot(...args.map((arg) => toDouble(arg))))),
  isnan: nativeFunction('isnan(x, /)', (v: Value) => Number.isNaN(toDouble(v))),
  isinf: nativeFunction('isinf(x, /)', (v: Value) => Math.abs(toDouble(v)) === Infinity),
  isfinite: nativeFunction('isfinite(x, /)', (v: Value) => Number.isFinite(toDouble(v))),
  isclose: nativeFunction('isclose(a, b, *, rel_tol=, abs_tol=)', (a: Value, b: Value, relative, absoluteTolerance) =>
    isclose(a, b, relative, absoluteTolerance),
  ),
  gcd: whole('gcd', (...n) => n.reduce((a, b) => gcd(a, b), 0n)),
  lcm: whole('lcm', (...n) =>
    n.reduce((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * (b < 0n ? -b : b)), 1n),
  ),
  isqrt: nativeFunction('isqrt(n, /)', (v: Value) => integer(isqrt(integerOf(v)))),
  factorial: nativeFunction('factorial(x, /)', (v: Value) => factorial(v)),
  comb: nativeFunction('comb(n, k, /)', (n: Value, k: Value) => choose(n, k)),
  perm: nativeFunction('perm(n, k=, /)', (n: Value, k) =>
    k === undefined || k === null
      ? factorial(n)
      : indexOf(k) > indexOf(n)
        ? 0
        : product(indexOf(n) - indexOf(k) + 1, indexOf(n)),
  ),
  prod: nativeFunction('prod(iterable, /, *, start=)', (v: Value, start) =>
    items(v).reduce((a, b) => mul(a, b), start ?? 1),
  ),
  fsum: nativeFunction('fsum(seq, /)', (v: Value) => fsum(v)),
  dist: nativeFunction('dist(p, q, /)', (p: Value, q: Value) => {
    const [a, b] = [items(p), items(q)];
    return float(Math.hypot(...a.map((x, i) => toDouble(x) - toDouble(b[i] ?? 0))));
  }),
  modf: nativeFunction('modf(x, /)', (v: Value) => {
    const x = toDouble(v);
    return new PyTuple([float(Number.isFinite(x) ? x % 1 : 0), float(Math.trunc(x))]);
  }),
});
