import {
  asNumber,
  call,
  getAttribute,
  items,
  PyDict,
  PyList,
  raise,
  standardModules,
} from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import { Entity } from '../../entity/entity.ts';
import { functionsOf } from '../members.ts';
import type { Members } from '../members.ts';

/** The helpers that draw at random, with `choices` and `sample` of the module `random`, as TPV. */
export function drawHelpers(random: Value = standardModules.get('random') ?? null): Members {
  return functionsOf({
    'weighted_random_sampling(destinations)': (destinations = null) =>
      sampled(
        items(destinations),
        (item) => (item instanceof Entity ? item.params : null),
        null,
        random,
      ),
    'weighted_choice(items)': (choices = null) => {
      const list = items(choices);
      if (list.length === 0)
        raise('ValueError', 'weighted_choice requires a non-empty list of items');
      return (
        items(sampled(list, (item) => (item instanceof PyDict ? item : null), 1, random))[0] ?? null
      );
    },
  });
}

/**
 * `count` items, all by default. With weights they are drawn with replacement, so some repeat;
 * without, they are permuted.
 */
function sampled(
  list: readonly Value[],
  tableOf: (item: Value) => PyDict | null,
  count: number | null,
  random: Value,
): Value {
  if (list.length === 0) return new PyList([]);
  const weights = list.map((item) => weightOf(tableOf(item)));
  const isWeighted = weights.some((weight) => weight !== 1) && weights.some((weight) => weight > 0);
  const k = count ?? list.length;
  const from = new PyList([...list]);
  if (!isWeighted) return call(getAttribute(random, 'sample'), [from], new Map([['k', k]]));
  return call(
    getAttribute(random, 'choices'),
    [from],
    new Map<string, Value>([
      ['weights', new PyList(weights)],
      ['k', k],
    ]),
  );
}

function weightOf(table: PyDict | null): number {
  const weight = table?.get('weight');
  return Math.max(0, weight === undefined ? 1 : (asNumber(weight) ?? 1));
}
