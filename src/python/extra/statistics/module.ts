import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { PyList } from '../../objects/collections/list.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { float, indexOf } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { flag, items } from '../../objects/protocol.ts';
import { fastMean, geometricMean, harmonicMean, mean, median } from './averages.ts';
import { fail, statisticsError } from './error.ts';
import { groupedMedian, modes, quantiles } from './groups.ts';
import { normalClass } from './normal.ts';
import { correlation, covariance, linearRegression } from './relations.ts';
import { deviation, variance } from './spread.ts';
import type { Sample } from './spread.ts';
import './normal-methods.ts';

/** The module `statistics`. */
export const statistics: PyModule = moduleOf('statistics', {
  StatisticsError: statisticsError,
  NormalDist: normalClass,
  mean: over('mean', mean),
  fmean: with2('fmean(data, weights=)', fastMean),
  geometric_mean: over('geometric_mean', geometricMean),
  harmonic_mean: with2('harmonic_mean(data, weights=)', harmonicMean),
  median: over('median', (data) => median(data, 'middle')),
  median_low: over('median_low', (data) => median(data, 'low')),
  median_high: over('median_high', (data) => median(data, 'high')),
  median_grouped: nativeFunction('median_grouped(data, interval=)', (data: Value, width) =>
    groupedMedian(items(data), width ?? float(1)),
  ),
  mode: over('mode', (data) =>
    data.length === 0 ? fail('no mode for empty data') : (modes(data)[0] ?? null),
  ),
  multimode: over('multimode', (data) => new PyList(modes(data))),
  variance: spread('variance', variance, 1),
  pvariance: spread('pvariance', variance, 0),
  stdev: spread('stdev', deviation, 1),
  pstdev: spread('pstdev', deviation, 0),
  quantiles: nativeFunction('quantiles(data, *, n=, method=)', (data: Value, n = 4, method) =>
    quantiles(items(data), indexOf(n), method ?? 'exclusive'),
  ),
  covariance: nativeFunction('covariance(x, y, /)', covariance),
  correlation: nativeFunction('correlation(x, y, /)', correlation),
  linear_regression: nativeFunction(
    'linear_regression(x, y, /, *, proportional=)',
    (x: Value, y: Value, proportional) => linearRegression(x, y, flag(proportional)),
  ),
});

function spread(name: string, of: typeof variance, correction: Sample['correction']): Value {
  return with2(`${name}(data, ${correction === 1 ? 'xbar' : 'mu'}=)`, (data, centre) =>
    of(data, centre, { name, correction }),
  );
}

/** A function of data and a second argument that may be None. */
function with2(signature: string, compute: (data: Value[], second: Value) => Value): Value {
  return nativeFunction(signature, (v: Value, second) => compute(items(v), second ?? null));
}

function over(name: string, compute: (data: Value[]) => Value): Value {
  return nativeFunction(`${name}(data)`, (v: Value) => compute(items(v)));
}
