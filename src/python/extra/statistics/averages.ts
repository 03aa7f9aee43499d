import { raise } from '../../errors.ts';
import { add, binary, mul } from '../../objects/numbers/arithmetic.ts';
import { lt, sorted, truthy } from '../../objects/compare.ts';
import { asNumber, float, toDouble } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { exp } from '../../objects/numbers/precise.ts';
import { call, catching, items } from '../../objects/protocol.ts';
import { Decimal } from '../decimal/decimal.ts';
import { math } from '../../modules/math/module.ts';
import { fsum } from '../../modules/math/exact-sums.ts';
import { fail, needsMore } from './error.ts';
import { converted, dividedBy, reduced, times } from './fractions.ts';
import { isSpecial, summed } from './sums.ts';

/** `mean`. @throws StatisticsError, TypeError */
export function mean(data: readonly Value[]): Value {
  const { kind, total, count } = summed(data);
  if (count === 0) needsMore('mean');
  return isSpecial(total)
    ? binary('/', total.special, count)
    : converted(dividedBy(total, count), kind);
}

/** `fmean`. @throws StatisticsError, TypeError, ValueError */
export function fastMean(data: readonly Value[], weights: Value): Value {
  if (weights === null)
    return data.length === 0 ? needsMore('fmean') : binary('/', fsum(data), data.length);
  const by = items(weights);
  const sum = fsum(data.slice(0, by.length).map((v, i) => mul(v, by[i] ?? null)));
  if (data.length !== by.length) fail('data and weights must be the same length');
  const weight = fsum(by);
  return toDouble(weight) === 0
    ? fail('sum of weights must be non-zero')
    : binary('/', sum, weight);
}

const NOT_POSITIVE = 'geometric mean requires a non-empty dataset containing positive numbers';

/** `geometric_mean`. @throws StatisticsError, TypeError */
export function geometricMean(data: readonly Value[]): Value {
  const log = math.members.get('log') ?? null;
  const sum = catching(['ValueError', 'StatisticsError'], () =>
    fastMean(
      data.map((v) => call(log, [v])),
      null,
    ),
  );
  if (sum === undefined) return fail(NOT_POSITIVE);
  const result = exp(toDouble(sum));
  return Number.isFinite(result) || !Number.isFinite(toDouble(sum))
    ? float(result)
    : raise('OverflowError', 'math range error');
}

const NEGATIVE = 'harmonic mean does not support negative values';

/** `harmonic_mean`. @throws StatisticsError, TypeError */
export function harmonicMean(data: readonly Value[], weights: Value): Value {
  const [only = null] = data;
  if (data.length === 0) needsMore('harmonic_mean');
  if (data.length === 1 && weights === null)
    return asNumber(only) !== undefined || only instanceof Decimal
      ? notNegative(only)
      : raise('TypeError', 'unsupported type');
  const by = weights === null ? data.map(() => 1) : items(weights);
  if (by.length !== data.length) fail('Number of weights does not match data size');
  const whole = summed(weights === null ? by : by.map(notNegative)).total;
  const parts = catching(['ZeroDivisionError', 'DivisionByZero'], () =>
    data.map((v, i) => {
      const x = notNegative(v);
      const weight = by[i] ?? 0;
      return truthy(weight) ? binary('/', weight, x) : 0;
    }),
  );
  if (parts === undefined) return 0;
  const { kind, total } = summed(parts);
  if (isSpecial(total) || isSpecial(whole)) {
    const [above, below] = [
      isSpecial(whole) ? whole.special : converted(whole, 'int'),
      isSpecial(total) ? total.special : converted(total, 'int'),
    ];
    return toDouble(below) <= 0 ? fail('Weighted sum must be positive') : binary('/', above, below);
  }
  return total[0] <= 0n
    ? fail('Weighted sum must be positive')
    : converted(times(whole, reduced(total[1], total[0])), kind);
}

/** `median`, `median_low` and `median_high`. @throws StatisticsError, TypeError */
export function median(data: readonly Value[], pick: 'middle' | 'low' | 'high'): Value {
  if (data.length === 0) fail('no median for empty data');
  const all = sorted(data, undefined, false);
  const half = all.length >> 1;
  const high = all[half] ?? null;
  const low = all[all.length % 2 === 0 ? half - 1 : half] ?? null;
  if (all.length % 2 === 1 || pick === 'high') return high;
  return pick === 'low' ? low : binary('/', add(low, high), 2);
}

function notNegative(v: Value): Value {
  return truthy(lt(v, 0)) ? fail(NEGATIVE) : v;
}
