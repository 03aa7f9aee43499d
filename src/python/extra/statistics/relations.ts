import { binary, mul, sub } from '../../objects/numbers/arithmetic.ts';
import { float, toDouble } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { call, items, lengthOf } from '../../objects/protocol.ts';
import { fsum } from '../../modules/math/exact-sums.ts';
import { namedTupleClass } from '../../modules/namedtuple.ts';
import { fail, needsMore } from './error.ts';

const regressionClass = namedTupleClass('LinearRegression', 'statistics', ['slope', 'intercept']);

type Pairs = { readonly x: readonly Value[]; readonly y: readonly Value[] };

/** `covariance`. @throws StatisticsError, TypeError */
export function covariance(x: Value, y: Value): Value {
  const data = paired(x, y, 'covariance');
  return binary('/', products(distances(data.x).from, distances(data.y).from), data.x.length - 1);
}

/** `correlation` (Pearson). @throws StatisticsError, TypeError */
export function correlation(x: Value, y: Value): Value {
  const data = paired(x, y, 'correlation');
  const [a, b] = [distances(data.x).from, distances(data.y).from];
  const shared = products(a, b);
  const size = Math.sqrt(toDouble(products(a, a)) * toDouble(products(b, b)));
  return size === 0
    ? fail('at least one of the inputs is constant')
    : float(toDouble(shared) / size);
}

/**
 * `linear_regression`, through the origin when `isProportional`.
 * @throws StatisticsError, TypeError
 */
export function linearRegression(x: Value, y: Value, isProportional: boolean): Value {
  const data = paired(x, y, 'linear regression');
  const slopeOf = (a: readonly Value[], b: readonly Value[]): Value => {
    const [shared, own] = [products(a, b), products(a, a)];
    return toDouble(own) === 0 ? fail('x is constant') : binary('/', shared, own);
  };
  if (isProportional) return call(regressionClass, [slopeOf(data.x, data.y), float(0)]);
  const [a, b] = [distances(data.x), distances(data.y)];
  const slope = slopeOf(a.from, b.from);
  return call(regressionClass, [slope, sub(b.mean, mul(slope, a.mean))]);
}

/**
 * Two lists of equal length.
 * @throws StatisticsError; TypeError for an argument without a length
 */
function paired(x: Value, y: Value, name: string): Pairs {
  const n = lengthOf(x);
  if (lengthOf(y) !== n) fail(`${name} requires that both inputs have same number of data points`);
  if (n < 2) needsMore(name, 'two data points');
  return { x: items(x), y: items(y) };
}

function products(a: readonly Value[], b: readonly Value[]): Value {
  return fsum(a.map((v, i) => mul(v, b[i] ?? null)));
}

/** Distances from the mean, as floats. */
function distances(data: readonly Value[]): {
  readonly mean: Value;
  readonly from: readonly Value[];
} {
  const mean = binary('/', fsum(data), data.length);
  return { mean, from: data.map((v) => sub(v, mean)) };
}
