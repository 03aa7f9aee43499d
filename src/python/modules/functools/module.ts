import { ComparisonKey } from './comparison-key.ts';
import { CachedFunction, lruCache } from './lru-cache.ts';
import { partialClass } from './partial.ts';
import { raise } from '../../errors.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import type { Value } from '../../objects/object.ts';
import { call, iterate } from '../../objects/protocol.ts';
import { tick } from '../../meter.ts';
import { totalOrdering } from './total-ordering.ts';
import { wrapping } from './update-wrapper.ts';

/** The module `functools`. */
export const functools: PyModule = moduleOf('functools', {
  partial: partialClass,
  lru_cache: nativeFunction('lru_cache(maxsize=, typed=)', lruCache),
  cache: nativeFunction('cache(user_function, /)', (fn: Value) => new CachedFunction(fn, Infinity)),
  reduce: nativeFunction('reduce(function, iterable, initial=, /)', reduce),
  total_ordering: nativeFunction('total_ordering(cls)', totalOrdering),
  ...wrapping,
  cmp_to_key: nativeFunction('cmp_to_key(mycmp)', (fn: Value) =>
    nativeFunction('K(obj)', (item: Value) => new ComparisonKey(fn, item)),
  ),
});

function reduce(fn: Value, iterable: Value, initial: Value | undefined): Value {
  const iterator = iterate(iterable);
  let total = initial ?? (initial === null ? null : iterator.next());
  if (total === undefined)
    return raise('TypeError', 'reduce() of empty iterable with no initial value');
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    total = call(fn, [total, item]);
  }
  return total;
}
