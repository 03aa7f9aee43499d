import {
  asNumber,
  float,
  items,
  nativeFunction,
  PyList,
  PyModule,
  standardModules,
} from '../../src/python/index.ts';
import type { Value } from '../../src/python/index.ts';

const rest = standardModules.get('random');

/**
 * The module `random` for recordings with `rng: first`: always the first item, or the heaviest of
 * weighted choices.
 */
export const firstRandom = new PyModule('random', [
  ...(rest instanceof PyModule ? rest.members : []),
  [
    'choices',
    nativeFunction(
      'choices(population, weights=, *, cum_weights=, k=)',
      (from = null, weights, _cumulative, k) => {
        const list = items(from);
        return copies(
          list[weights === undefined || weights === null ? 0 : heaviest(items(weights))],
          k,
        );
      },
    ),
  ],
  [
    'sample',
    nativeFunction(
      'sample(population, k, *, counts=)',
      (from = null, k) => new PyList(items(from).slice(0, asNumber(k ?? 0))),
    ),
  ],
  ['choice', nativeFunction('choice(seq)', (from = null) => items(from)[0] ?? null)],
  ['randint', nativeFunction('randint(a, b)', (a = null) => a)],
  ['random', nativeFunction('random()', () => float(0))],
  ['uniform', nativeFunction('uniform(a, b)', (a = null) => a)],
]);

/** The index of the first heaviest item. */
function heaviest(weights: readonly Value[]): number {
  const numbers = weights.map((weight) => asNumber(weight) ?? 0);
  return numbers.indexOf(Math.max(...numbers));
}

function copies(item: Value | undefined, count: Value | undefined): PyList {
  return new PyList(Array.from({ length: asNumber(count ?? 1) ?? 1 }, () => item ?? null));
}
