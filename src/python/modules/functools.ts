import { raise } from '../errors.ts';
import { indexOf } from '../objects/numbers/number.ts';
import { compare, equals } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Key, Kwargs, OrderOp, Value } from '../objects/object.ts';
import { call, iterate } from '../objects/protocol.ts';
import { PyBoundMethod } from '../objects/classes/function.ts';
import { keyOf } from '../objects/key.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { tick } from '../meter.ts';
import { tupleClass } from './namedtuple.ts';
import { totalOrdering } from './dataclasses.ts';
import { wrapping } from './update-wrapper.ts';
import { Wrapper } from './wrapper.ts';

const partialClass = new PyClass('partial', [types.object], { module: 'functools' });

/** `functools.partial(...)`: a call with some arguments given before. */
class Partial extends Wrapper {
  readonly #fn: Value;
  readonly #args: readonly Value[];
  readonly #kwargs: Kwargs;

  constructor(fn: Value, args: readonly Value[], kwargs: Kwargs) {
    super();
    this.#fn = fn;
    this.#args = args;
    this.#kwargs = kwargs;
  }
  get cls(): PyClass {
    return partialClass;
  }
  override attribute(name: string): Value | undefined {
    if (name === 'func') return this.#fn;
    if (name === 'args') return new PyTuple(this.#args);
    return name === 'keywords' ? new PyDict(this.#kwargs) : super.attribute(name);
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    const merged = new Map([...this.#kwargs, ...(kwargs ?? [])]);
    return call(this.#fn, [...this.#args, ...args], merged.size === 0 ? undefined : merged);
  }
}
partialClass.create = (_cls, [fn, ...args], kwargs) =>
  fn instanceof PyObject
    ? new Partial(fn, args, kwargs ?? new Map())
    : raise('TypeError', 'the first argument must be callable');

const cacheClass = new PyClass('_lru_cache_wrapper', [types.object], { module: 'functools' });

const cacheInfo = tupleClass(
  'CacheInfo',
  'functools',
  ['hits', 'misses', 'maxsize', 'currsize'],
  false,
);

/**
 * A function that remembers its results, the least recently used ones
 * being forgotten beyond `limit`.
 */
class Cached extends Wrapper {
  readonly #fn: Value;
  readonly #limit: number;
  readonly #results = new Map<Key, Value>();
  #hits = 0;
  #misses = 0;

  constructor(fn: Value, limit: number) {
    super();
    this.#fn = fn;
    this.#limit = limit;
    this.setAttribute('__wrapped__', fn);
  }
  get cls(): PyClass {
    return cacheClass;
  }
  override describe(self: Value): Value {
    return self === null ? this : new PyBoundMethod(self, this);
  }
  override attribute(name: string): Value | undefined {
    if (name === 'cache_clear') {
      return new PyBuiltin(name, () => {
        this.#results.clear();
        [this.#hits, this.#misses] = [0, 0];
        return null;
      });
    }
    if (name === 'cache_info')
      return new PyBuiltin(name, () =>
        cacheInfo.make([
          this.#hits,
          this.#misses,
          Number.isFinite(this.#limit) ? this.#limit : null,
          this.#results.size,
        ]),
      );
    return (
      super.attribute(name) ?? (this.#fn instanceof PyObject ? this.#fn.attribute(name) : undefined)
    );
  }
  override call(args: readonly Value[], kwargs?: Kwargs): Value {
    if (this.#limit === 0) {
      this.#misses += 1;
      return call(this.#fn, args, kwargs);
    }
    const key = keyOf(new PyTuple([...args, ...[...(kwargs ?? [])].flat()]));
    const known = this.#results.get(key);
    if (known !== undefined) {
      this.#hits += 1;
      this.#results.delete(key);
      this.#results.set(key, known);
      return known;
    }
    this.#misses += 1;
    const result = call(this.#fn, args, kwargs);
    this.#results.set(key, result);
    if (this.#results.size > this.#limit)
      for (const [oldest] of [...this.#results].slice(0, 1)) this.#results.delete(oldest);
    return result;
  }
}

const comparisonKeyClass = new PyClass('K', [types.object], { module: 'functools' });

/** What `cmp_to_key` makes of an element: ordered by the user's comparison function. */
class ComparisonKey extends PyObject {
  readonly #compare: Value;
  readonly #item: Value;

  constructor(compareWith: Value, item: Value) {
    super();
    this.#compare = compareWith;
    this.#item = item;
  }
  get cls(): PyClass {
    return comparisonKeyClass;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof ComparisonKey)) return undefined;
    const sign = compare(call(this.#compare, [this.#item, other.#item]), 0);
    switch (op) {
      case '<':
        return sign < 0;
      case '<=':
        return sign <= 0;
      case '>':
        return sign > 0;
      case '>=':
        return sign >= 0;
      default:
        return op satisfies never;
    }
  }
  override equals(other: Value): Value | undefined {
    return other instanceof ComparisonKey
      ? equals(call(this.#compare, [this.#item, other.#item]), 0)
      : undefined;
  }
}

/** The module `functools`. */
export const functools: PyModule = moduleOf('functools', {
  partial: partialClass,
  lru_cache: nativeFunction('lru_cache(maxsize=, typed=)', (first) => lruCache(first)),
  cache: nativeFunction('cache(user_function, /)', (fn: Value) => new Cached(fn, Infinity)),
  reduce: nativeFunction(
    'reduce(function, iterable, initial=, /)',
    (fn: Value, iterable: Value, initial) => reduce(fn, iterable, initial),
  ),
  total_ordering: nativeFunction('total_ordering(cls)', (cls: Value) => totalOrdering(cls)),
  ...wrapping,
  cmp_to_key: nativeFunction('cmp_to_key(mycmp)', (fn: Value) =>
    nativeFunction('K(obj)', (item: Value) => new ComparisonKey(fn, item)),
  ),
});

/** `@lru_cache`, `@lru_cache()` and `@lru_cache(maxsize=n)`. */
function lruCache(first: Value | undefined): Value {
  if (first instanceof PyObject) return new Cached(first, 128);
  const limit = first === undefined ? 128 : first === null ? Infinity : Math.max(0, indexOf(first));
  return nativeFunction('lru_cache(function, /)', (fn: Value) => new Cached(fn, limit));
}

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
