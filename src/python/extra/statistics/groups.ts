import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { add, binary } from '../../objects/numbers/arithmetic.ts';
import { eq, lt, sorted, truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { float, toDouble } from '../../objects/numbers/number.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call, catching } from '../../objects/protocol.ts';
import { repr } from '../../text/repr.ts';
import { fail } from './error.ts';

/** `multimode`: the most frequent values, in order of appearance. */
export function modes(data: readonly Value[]): Value[] {
  const counts = new PyDict();
  for (const v of data) counts.set(v, add(counts.get(v) ?? 0, 1));
  const most = counts
    .pairs()
    .reduce<Value>((best, [, n]) => (toDouble(n) > toDouble(best) ? n : best), 0);
  return counts
    .pairs()
    .filter(([, n]) => truthy(eq(n, most)))
    .map(([v]) => v);
}

/**
 * `quantiles`: cut points that divide the data into equal groups.
 * @throws StatisticsError, ValueError
 */
export function quantiles(data: readonly Value[], n: number, method: Value): Value {
  if (n < 1) fail('n must be at least 1');
  const all = sorted(data, undefined, false);
  if (data.length < 2) fail('must have at least two data points');
  tick(n);
  const isInclusive = method === 'inclusive';
  if (!isInclusive && method !== 'exclusive')
    raise('ValueError', `Unknown method: ${repr(method)}`);
  const m = isInclusive ? all.length - 1 : all.length + 1;
  const cut = (i: number): Value => {
    const j = isInclusive
      ? Math.floor((i * m) / n)
      : Math.min(Math.max(Math.floor((i * m) / n), 1), all.length - 1);
    const delta = i * m - j * n;
    const [low, high] = isInclusive ? [all[j], all[j + 1]] : [all[j - 1], all[j]];
    const sum = add(binary('*', low ?? null, n - delta), binary('*', high ?? null, delta));
    return binary('/', sum, n);
  };
  return new PyList(Array.from({ length: n - 1 }, (_, i) => cut(i + 1)));
}

/**
 * `median_grouped`: the median of values that represent the intervals around them.
 * @throws StatisticsError, TypeError
 */
export function groupedMedian(data: readonly Value[], width: Value): Value {
  const all = sorted(data, undefined, false);
  const middle = all[all.length >> 1];
  if (middle === undefined) return fail('no median for empty data');
  const before = all.findIndex((v) => !truthy(lt(v, middle)));
  const behind = all.findLastIndex((v) => !truthy(lt(middle, v)));
  const toFloat = (v: Value): number => {
    const x = catching(['ValueError'], () => call(types.float, [v]));
    return x === undefined
      ? raise('TypeError', 'Value cannot be converted to a float')
      : toDouble(x);
  };
  const [interval, centre] = [toFloat(width), toFloat(middle)];
  return float(
    centre - interval / 2 + (interval * (all.length / 2 - before)) / (behind + 1 - before),
  );
}
