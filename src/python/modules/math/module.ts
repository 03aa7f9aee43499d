import { real, rounded, logarithm } from './real-functions.ts';
import { fsum, norm } from './exact-sums.ts';
import { gcd, isqrt, factorial, choose, integerOf, arranged } from './whole-numbers.ts';
import { raise } from '../../errors.ts';
import { binary, mul } from '../../objects/numbers/arithmetic.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../../objects/classes/native.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { asInt, float, integer, toDouble } from '../../objects/numbers/number.ts';
import { cos, exp, ln, log10, log10Of, log2, power, sin } from '../../objects/numbers/precise.ts';
import type { Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { erf, erfc } from './error-function.ts';
import { gamma, lgamma } from './gamma.ts';
import { cbrt, frexp, ldexp, nextafter, remainder, ulp } from './floats.ts';

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
  hypot: new PyBuiltin('hypot', (args) => float(norm(args.map(toDouble)))),
  isnan: nativeFunction('isnan(x, /)', (v: Value) => Number.isNaN(toDouble(v))),
  isinf: nativeFunction('isinf(x, /)', (v: Value) => Math.abs(toDouble(v)) === Infinity),
  isfinite: nativeFunction('isfinite(x, /)', (v: Value) => Number.isFinite(toDouble(v))),
  isclose: nativeFunction('isclose(a, b, *, rel_tol=, abs_tol=)', isclose),
  gcd: whole('gcd', (...n) => n.reduce(gcd, 0n)),
  lcm: whole('lcm', (...n) =>
    n.reduce((a, b) => (a === 0n || b === 0n ? 0n : (a / gcd(a, b)) * (b < 0n ? -b : b)), 1n),
  ),
  isqrt: nativeFunction('isqrt(n, /)', (v: Value) => integer(isqrt(integerOf(v)))),
  factorial: nativeFunction('factorial(x, /)', factorial),
  comb: nativeFunction('comb(n, k, /)', choose),
  perm: nativeFunction('perm(n, k=, /)', (n: Value, k) =>
    k === undefined || k === null ? factorial(n) : arranged(n, k),
  ),
  prod: nativeFunction('prod(iterable, /, *, start=)', (v: Value, start) =>
    items(v).reduce(mul, start === undefined ? 1 : start),
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

function whole(name: string, compute: (...n: bigint[]) => bigint): Value {
  return new PyBuiltin(name, (args) => integer(compute(...args.map(integerOf))));
}

/** As in C, a pole is a domain error and not an infinity. */
function atanh(x: number): number {
  return Math.abs(x) === 1 ? Number.NaN : Math.atanh(x);
}

function exp2(x: number): number {
  return Number.isInteger(x) || !Number.isFinite(x) ? 2 ** x : power(2, x);
}

function isclose(
  a: Value,
  b: Value,
  relative: Value = 1e-9,
  absoluteTolerance: Value = 0,
): boolean {
  const [x, y] = [toDouble(a), toDouble(b)];
  const [part, least] = [toDouble(relative), toDouble(absoluteTolerance)];
  if (part < 0 || least < 0) raise('ValueError', 'tolerances must be non-negative');
  if (x === y) return true;
  if (!Number.isFinite(x) || !Number.isFinite(y)) return false;
  return Math.abs(x - y) <= Math.max(part * Math.max(Math.abs(x), Math.abs(y)), least);
}
