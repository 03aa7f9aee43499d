import { PyError, raise } from '../errors.ts';
import { add, binary } from '../objects/arithmetic.ts';
import { ratio } from '../builtins/numbers.ts';
import { eq, sorted, truthy } from '../objects/compare.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/exceptions.ts';
import { PyDict } from '../objects/dict.ts';
import { moduleOf } from '../objects/module.ts';
import type { PyModule } from '../objects/module.ts';
import { PyList } from '../objects/list.ts';
import { nativeFunction } from '../objects/native.ts';
import { asFloat, asInt, float, integer, toDouble } from '../objects/number.ts';
import type { Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';

const statisticsError = exceptionClass('StatisticsError', exceptionNamed('ValueError'), 'statistics');

function empty(name: string, least = 'one data point'): never {
  const text = `${name} requires at least ${least}`;
  throw new PyError('StatisticsError', [text], text, new PyException(statisticsError, [text]));
}

function noMedian(): never {
  const text = 'no median for empty data';
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
  if (data.length <= correction) empty(name, correction === 1 ? 'two data points' : 'one data point');
  const [over, under] = squares(data);
  return quotient([over, under * BigInt(data.length - correction)], areInts(data));
}

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

const over = (name: string, compute: (data: Value[]) => Value): Value =>
  nativeFunction(`${name}(data)`, (v: Value) => compute(items(v)));

/** The module `statistics`. */
export const statistics: PyModule = moduleOf('statistics', {
  StatisticsError: statisticsError,
  mean: over('mean', mean),
  fmean: over('fmean', (data) =>
    data.length === 0 ? empty('fmean') : float(toDouble(quotient(total(data), false)) / data.length),
  ),
  median: over('median', (data) => median(data, 'middle')),
  median_low: over('median_low', (data) => median(data, 'low')),
  median_high: over('median_high', (data) => median(data, 'high')),
  mode: over('mode', (data) => modes(data)[0] ?? empty('mode')),
  multimode: over('multimode', (data) => new PyList(modes(data))),
  variance: over('variance', (data) => variance(data, 'variance', 1)),
  pvariance: over('pvariance', (data) => variance(data, 'pvariance', 0)),
  stdev: over('stdev', (data) => float(Math.sqrt(toDouble(variance(data, 'stdev', 1))))),
  pstdev: over('pstdev', (data) => float(Math.sqrt(toDouble(variance(data, 'pstdev', 0))))),
  quantiles: nativeFunction('quantiles(data, *, n=, method=)', () =>
    raise('NotImplementedError', 'quantiles() is not supported'),
  ),
});
