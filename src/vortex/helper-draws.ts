import { asNumber, items, PyDict, PyList, raise } from '../python/index.ts';
import type { Value } from '../python/index.ts';
import { Entity } from './entity.ts';
import { functionsOf } from './members.ts';
import type { Members } from './members.ts';

/** The helpers that draw (1.19); `random` is uniform in [0, 1). */
export function drawHelpers(random: () => number): Members {
  return functionsOf({
    'weighted_random_sampling(destinations)': (destinations = null) =>
      new PyList(sampled(items(destinations), (item) => (item instanceof Entity ? item.params : null), random)),
    'weighted_choice(items)': (choices = null) => {
      const [first] = sampled(items(choices), (item) => (item instanceof PyDict ? item : null), random);
      return first ?? raise('ValueError', 'weighted_choice requires a non-empty list of items');
    },
  });
}

/** With weights, drawn with replacement, so that some repeat and some are left out, as TPV does; else a permutation. */
function sampled(list: readonly Value[], tableOf: (item: Value) => PyDict | null, random: () => number): Value[] {
  const weights = list.map((item) => weightOf(tableOf(item)));
  const isWeighted = weights.some((weight) => weight !== 1) && weights.some((weight) => weight > 0);
  return isWeighted ? list.map(() => drawn(list, weights, random)) : shuffled(list, random);
}

function weightOf(table: PyDict | null): number {
  const weight = table?.get('weight');
  return Math.max(0, weight === undefined ? 1 : (asNumber(weight) ?? 1));
}

/** A permutation; a source of zeros leaves the order as it is. */
function shuffled(list: readonly Value[], random: () => number): Value[] {
  const left = [...list];
  return list.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

/** One item, drawn by weight as Python's `random.choices` draws it. */
function drawn(list: readonly Value[], weights: readonly number[], random: () => number): Value {
  const point = random() * weights.reduce((sum, weight) => sum + weight, 0);
  let below = 0;
  const index = weights.findIndex((weight) => {
    below += weight;
    return point < below;
  });
  return list.at(index) ?? null;
}
