import { PyError, raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { add, binary } from '../objects/arithmetic.ts';
import { ratio } from '../builtins/numbers.ts';
import { eq, lt, sorted, truthy } from '../objects/compare.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/exceptions.ts';
import { PyDict } from '../objects/dict.ts';
import { moduleOf } from '../objects/module.ts';
import type { PyModule } from '../objects/module.ts';
import { PyList } from '../objects/list.ts';
import { nativeFunction } from '../objects/native.ts';
import { asFloat, asInt, float, indexOf, integer, toDouble } from '../objects/number.ts';
import type { Value } from '../objects/object.ts';
import { exp, fractionOf, ln, squareRoot } from '../objects/precise.ts';
import { items } from '../objects/protocol.ts';
import { repr } from '../text/repr.ts';

const statisticsError = exceptionClass('StatisticsError', exceptionNamed('ValueError'), 'statistics');

function empty(name: string, least = 'one data point'): never {
  const text = `${name} requires at least ${least}`;
  throw new PyError('StatisticsError', [text], text, new PyException(statisticsError, [text]));
}

function noMedian(): never {
  return fail('no median for empty data');
}

function fail(text: string): never {
  throw new PyError('StatisticsError', [text], text, new PyException(statisticsError, [text]));
}

type Fraction = readonly [over: bigint, under: bigint];

function fraction(v: Value): Fraction {
  const n = asInt(v);
  return n === undefined ? ratio(toDouble(v)) : [BigInt(n), 1n];
}
const plus = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (b === d ? [a + c, b] : [a * d + c * b, b * d]);

/** Exact sum of the data. */
const total = (data: readonly Value[]): Fraction => data.reduce<Fraction>((sum, v) => plus(sum, fraction(v)), [0n, 1n]);

/** A fraction as the number the data's own kind gives: ints stay ints when it is whole. */
function quotient([over, under]: Fraction, isExact: boolean): Value {
  return isExact && over % under === 0n ? integer(over / under) : binary('/', integer(over), integer(under));
}
const areInts = (data: readonly Value[]): boolean => data.every((v) => asFloat(v) === undefined);

function mean(data: readonly Value[]): Value {
  if (data.length === 0) empty('mean');
  if (!areFinite(data)) return infinite(data);
  const [over, under] = total(data);
  return quotient([over, under * BigInt(data.length)], areInts(data));
}

/** Sum of squared distances from the mean, exactly. */
function squares(data: readonly Value[]): Fraction {
  const [over, under] = total(data);
  const n = BigInt(data.length);
  return data.reduce<Fraction>(
    (sum, v) => {
      const [a, b] = fraction(v);
      const [p, q] = [a * under * n - over * b, b * under * n];
      return plus(sum, [p * p, q * q]);
    },
    [0n, 1n],
  );
}

function variance(data: readonly Value[], name: string, correction: 0 | 1): Value {
  areFinite(data);
  if (data.length <= correction) empty(name, correction === 1 ? 'two data points' : 'one data point');
  if (!areFinite(data)) return float(infinite(data.filter((v) => !areFinite([v]))) / (data.length - correction));
  const [over, under] = squares(data);
  return quotient([over, under * BigInt(data.length - correction)], areInts(data));
}

function deviation(data: readonly Value[], name: string, correction: 0 | 1): Value {
  areFinite(data);
  if (data.length <= correction) empty(name, correction === 1 ? 'two data points' : 'one data point');
  if (!areFinite(data)) raise('AttributeError', "'float' object has no attribute 'numerator'");
  const [over, under] = squares(data);
  return float(squareRoot(over, under * BigInt(data.length - correction)));
}

const areFinite = (data: readonly Value[]): boolean => data.map((v) => Number.isFinite(toDouble(v))).every((is) => is);

/** As `fsum` adds them. @throws ValueError */
function infiniteSum(data: readonly Value[]): number {
  const all = new Set(data.map((v) => toDouble(v)));
  return all.has(Infinity) && all.has(-Infinity) ? raise('ValueError', '-inf + inf in fsum') : infinite(data);
}

/** The plain sum of data with infinities or NaN in it. */
const infinite = (data: readonly Value[]): number => data.reduce<number>((sum, v) => sum + toDouble(v), 0);

function median(data: readonly Value[], pick: 'middle' | 'low' | 'high'): Value {
  if (data.length === 0) noMedian();
  const all = sorted(data, undefined, false);
  const half = all.length >> 1;
  const high = all[half] ?? null;
  const low = all[all.length % 2 === 0 ? half - 1 : half] ?? null;
  if (all.length % 2 === 1 || pick === 'high') return high;
  return pick === 'low' ? low : binary('/', add(low, high), 2);
}

function modes(data: readonly Value[]): Value[] {
  const counts = new PyDict();
  for (const v of data) counts.set(v, add(counts.get(v) ?? 0, 1));
  const most = counts.pairs().reduce<Value>((best, [, n]) => (toDouble(n) > toDouble(best) ? n : best), 0);
  return counts
    .pairs()
    .filter(([, n]) => truthy(eq(n, most)))
    .map(([v]) => v);
}

/** Cut points of equally likely groups. @throws StatisticsError */
function quantiles(data: readonly Value[], n: number, method: Value): Value {
  if (n < 1) fail('n must be at least 1');
  if (data.length < 2) fail('must have at least two data points');
  tick(n);
  const all = sorted(data, undefined, false);
  const isInclusive = method === 'inclusive';
  if (!isInclusive && method !== 'exclusive') raise('ValueError', `Unknown method: ${repr(method)}`);
  const m = isInclusive ? all.length - 1 : all.length + 1;
  const cut = (i: number): Value => {
    const j = isInclusive ? Math.floor((i * m) / n) : Math.min(Math.max(Math.floor((i * m) / n), 1), all.length - 1);
    const delta = i * m - j * n;
    const [low, high] = isInclusive ? [all[j], all[j + 1]] : [all[j - 1], all[j]];
    const sum = add(binary('*', low ?? null, n - delta), binary('*', high ?? null, delta));
    return binary('/', sum, n);
  };
  return new PyList(Array.from({ length: n - 1 }, (_, i) => cut(i + 1)));
}

function harmonic(data: readonly Value[]): Value {
  if (data.length === 0) empty('harmonic_mean');
  const [only = null] = data;
  if (data.length === 1) {
    if (truthy(lt(only, 0))) fail('harmonic mean does not support negative values');
    return only;
  }
  for (const v of data) {
    if (truthy(lt(v, 0))) fail('harmonic mean does not support negative values');
    if (truthy(eq(v, 0))) return 0;
  }
  if (data.some((v) => !Number.isFinite(toDouble(v)) || !Number.isFinite(1 / toDouble(v)))) {
    const sum = data.reduce((total, v) => add(total, binary('/', 1, v)), 0);
    if (toDouble(sum) === 0) fail('Weighted sum must be positive');
    return binary('/', data.length, sum);
  }
  const [over, under] = total(data.map((v) => binary('/', 1, v)));
  return quotient([under * BigInt(data.length), over], false);
}

function geometric(data: readonly Value[]): Value {
  const logs = data.map((v) => {
    const x = toDouble(v);
    return x > 0 ? ln(...fractionOf(x)) : fail('geometric mean requires a non-empty dataset containing positive numbers');
  });
  if (logs.length === 0) fail('geometric mean requires a non-empty dataset containing positive numbers');
  return float(exp(toDouble(quotient(total(logs.map((x) => float(x))), false)) / logs.length));
}

const over = (name: string, compute: (data: Value[]) => Value): Value =>
  nativeFunction(`${name}(data)`, (v: Value) => compute(items(v)));

/** The module `statistics`. */
export const statistics: PyModule = moduleOf('statistics', {
  StatisticsError: statisticsError,
  mean: over('mean', mean),
  fmean: over('fmean', (data) =>
    data.length === 0 ? empty('fmean') : !areFinite(data) ? float(infiniteSum(data)) : float(toDouble(quotient(total(data.map((v) => float(toDouble(v)))), false)) / data.length),
  ),
  median: over('median', (data) => median(data, 'middle')),
  median_low: over('median_low', (data) => median(data, 'low')),
  median_high: over('median_high', (data) => median(data, 'high')),
  mode: over('mode', (data) => (data.length === 0 ? fail('no mode for empty data') : (modes(data)[0] ?? null))),
  multimode: over('multimode', (data) => new PyList(modes(data))),
  variance: over('variance', (data) => variance(data, 'variance', 1)),
  pvariance: over('pvariance', (data) => variance(data, 'pvariance', 0)),
  stdev: over('stdev', (data) => deviation(data, 'stdev', 1)),
  pstdev: over('pstdev', (data) => deviation(data, 'pstdev', 0)),
  quantiles: nativeFunction('quantiles(data, *, n=, method=)', (data: Value, n, method) =>
    quantiles(items(data), n === undefined ? 4 : indexOf(n), method ?? 'exclusive'),
  ),
  harmonic_mean: over('harmonic_mean', harmonic),
  geometric_mean: over('geometric_mean', geometric),
});
