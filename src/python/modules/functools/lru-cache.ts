import { indexOf } from '../../objects/numbers/number.ts';
import { nativeFunction, PyBuiltin } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Key, Kwargs, Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { PyBoundMethod } from '../../objects/classes/function.ts';
import { keyOf } from '../../objects/key.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { tupleClass } from '../namedtuple.ts';
import { Wrapper } from './wrapper.ts';

const cacheClass = new PyClass('_lru_cache_wrapper', [types.object], { module: 'functools' });

const cacheInfo = tupleClass(
  'CacheInfo',
  'functools',
  ['hits', 'misses', 'maxsize', 'currsize'],
  false,
);

/** A function with a cache; beyond `limit`, it forgets the least recently used results. */
export class CachedFunction extends Wrapper {
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

/** `@lru_cache`, `@lru_cache()` and `@lru_cache(maxsize=n)`. */
export function lruCache(first: Value | undefined): Value {
  if (first instanceof PyObject) return new CachedFunction(first, 128);
  const limit = first === undefined ? 128 : first === null ? Infinity : Math.max(0, indexOf(first));
  return nativeFunction('lru_cache(function, /)', (fn: Value) => new CachedFunction(fn, limit));
}
