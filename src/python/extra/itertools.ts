import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { add } from '../objects/numbers/arithmetic.ts';
import { equals, truthy } from '../objects/compare.ts';
import { iteratorOf } from '../objects/collections/iterator.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin, defineClassMethod } from '../objects/classes/native.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { asIndex, asInt, asNumber, indexOf } from '../objects/numbers/number.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { PyIterator, Value } from '../objects/object.ts';
import { call, items, iterate, keyFunction } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { teed } from './tee.ts';

const ISLICE = 'Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.';

const chain = new PyClass('chain', [types.object], {
  module: 'itertools',
  create: (_cls, args) => iteratorOf('itertools.chain', chained(args)),
});
defineClassMethod(chain, 'from_iterable(iterable, /)', (_cls, source: Value) =>
  iteratorOf('itertools.chain', chained(each(iterate(source)))),
);

/** The module `itertools`. */
export const itertools: PyModule = moduleOf('itertools', {
  chain,
  tee: nativeFunction(
    'tee(iterable, n=, /)',
    (source: Value, n = 2) => new PyTuple(teed(iterate(source), indexOf(n))),
  ),
  count: lazily(
    'count',
    (start, step) => countedFrom(start === undefined ? 0 : start, step === undefined ? 1 : step),
    'start=, step=',
  ),
  cycle: lazily('cycle', (source) => cycled(source ?? null), 'iterable, /'),
  repeat: lazily('repeat', (item, times) => repeatedly(item ?? null, times), 'object, times='),
  islice: variadic('islice', ([source = null, ...args]) =>
    iteratorOf('itertools.islice', sliced(source, args)),
  ),
  product: variadic('product', (args, kwargs) => {
    const pools = args.map(items);
    const times = indexOf(kwargs?.get('repeat') ?? 1);
    tick(times * pools.length);
    const all = Array.from({ length: times }, () => pools).flat();
    if (all.length > 200) raise('OverflowError', 'too many iterables for product()');
    return iteratorOf('itertools.product', tuplesOf(product(all)));
  }),
  permutations: lazily(
    'permutations',
    (source, r) => {
      const pool = items(source ?? null);
      return tuples(
        pool,
        chosen(
          pool.length,
          r === undefined || r === null ? pool.length : atLeastNone(r),
          () => 0,
          false,
        ),
      );
    },
    'iterable, r=',
  ),
  combinations: lazily(
    'combinations',
    (source, r) => {
      const pool = items(source ?? null);
      return tuples(
        pool,
        chosen(pool.length, atLeastNone(r), (picked) => (picked.at(-1) ?? -1) + 1, false),
      );
    },
    'iterable, r',
  ),
  combinations_with_replacement: lazily(
    'combinations_with_replacement',
    (source, r) => {
      const pool = items(source ?? null);
      return tuples(
        pool,
        chosen(pool.length, atLeastNone(r), (picked) => picked.at(-1) ?? 0, true),
      );
    },
    'iterable, r',
  ),
  accumulate: lazily(
    'accumulate',
    (source, fn, initial) => accumulated(source ?? null, fn, initial),
    'iterable, func=, *, initial=',
  ),
  groupby: lazily('groupby', (source, key) => grouped(source ?? null, key), 'iterable, key='),
  takewhile: lazily(
    'takewhile',
    (fn, source) => whileTrue(fn ?? null, source ?? null, true),
    'predicate, iterable, /',
  ),
  dropwhile: lazily(
    'dropwhile',
    (fn, source) => whileTrue(fn ?? null, source ?? null, false),
    'predicate, iterable, /',
  ),
  filterfalse: lazily(
    'filterfalse',
    function* filterFalse(fn, source) {
      for (const item of each(iterate(source ?? null)))
        if (!truthy((fn ?? null) === null ? item : call(fn ?? null, [item]))) yield item;
    },
    'function, iterable, /',
  ),
  starmap: lazily(
    'starmap',
    function* starMap(fn, source) {
      for (const row of each(iterate(source ?? null))) yield call(fn ?? null, items(row));
    },
    'function, iterable, /',
  ),
  pairwise: lazily(
    'pairwise',
    function* pairs(source) {
      let before: Value | undefined;
      for (const item of each(iterate(source ?? null))) {
        if (before !== undefined) yield new PyTuple([before, item]);
        before = item;
      }
    },
    'iterable, /',
  ),
  compress: lazily(
    'compress',
    function* compressed(data, selectors) {
      const flags = iterate(selectors ?? null);
      for (const item of each(iterate(data ?? null))) {
        const flag = flags.next();
        if (flag === undefined) return;
        if (truthy(flag)) yield item;
      }
    },
    'data, selectors',
  ),
  zip_longest: variadic('zip_longest', (args, kwargs) =>
    iteratorOf(
      'itertools.zip_longest',
      longest(args.map(iterate), kwargs?.get('fillvalue') ?? null),
    ),
  ),
});

function* chained(sources: Iterable<Value>): Generator<Value> {
  for (const source of sources) yield* each(iterate(source));
}

/** The elements of an iterator, each paid for. */
function* each(iterator: PyIterator): Generator<Value> {
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    yield item;
  }
}

function* cycled(source: Value): Generator<Value> {
  const all = items(source);
  while (all.length > 0) {
    for (const item of all) {
      tick(1);
      yield item;
    }
  }
}

function* repeatedly(item: Value, times: Value | undefined): Generator<Value> {
  const limit = times === undefined ? Infinity : indexOf(times);
  for (let i = 0; i < limit; i += 1) {
    tick(1);
    yield item;
  }
}

function* sliced(source: Value, args: readonly Value[]): Generator<Value> {
  const bound = (v: Value | undefined, absent: number): number => {
    if (v === undefined || v === null) return absent;
    const n = asIndex(v);
    return n === undefined || n < 0 ? raise('ValueError', ISLICE) : Number(n);
  };
  const [first, second, third] = args;
  const [start, stop, step] =
    second === undefined
      ? [0, bound(first, Infinity), 1]
      : [bound(first, 0), bound(second, Infinity), bound(third, 1)];
  if (start < 0 || stop < 0 || step < 1) raise('ValueError', ISLICE);
  const iterator = iterate(source);
  for (let i = 0; i < stop; i += 1) {
    tick(1);
    const item = iterator.next();
    if (item === undefined) return;
    if (i >= start && (i - start) % step === 0) yield item;
  }
}

function* product(pools: readonly (readonly Value[])[]): Generator<Value[]> {
  const [first, ...rest] = pools;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const item of first) {
    for (const tail of product(rest)) {
      tick(1);
      yield [item, ...tail];
    }
  }
}

/** Positions of `k` out of `n` elements; `from` is the least next position after those chosen. */
function* chosen(
  n: number,
  k: number,
  from: (picked: readonly number[]) => number,
  again: boolean,
): Generator<number[]> {
  function* extend(picked: readonly number[]): Generator<number[]> {
    tick(1);
    if (picked.length === k) {
      yield [...picked];
      return;
    }
    for (let i = from(picked); i < n; i += 1)
      if (again || !picked.includes(i)) yield* extend([...picked, i]);
  }
  yield* extend([]);
}

function* tuples(pool: readonly Value[], positions: Iterable<readonly number[]>): Generator<Value> {
  for (const picked of positions) yield new PyTuple(picked.map((i) => pool[i] ?? null));
}

function* accumulated(
  source: Value,
  fn: Value | undefined,
  initial: Value | undefined,
): Generator<Value> {
  let total: Value | undefined = initial;
  if (total !== undefined && total !== null) yield total;
  for (const item of each(iterate(source))) {
    total =
      total === undefined || total === null
        ? item
        : fn === undefined || fn === null
          ? add(total, item)
          : call(fn, [total, item]);
    yield total;
  }
}

function* grouped(source: Value, key: Value | undefined): Generator<Value> {
  const keyOf = keyFunction(key);
  let current: Value | undefined;
  let group: Value[] = [];
  const flush = (): Value =>
    new PyTuple([current ?? null, iteratorOf('itertools._grouper', group[Symbol.iterator]())]);
  for (const item of each(iterate(source))) {
    const k = keyOf === undefined ? item : keyOf(item);
    if (current !== undefined && !equals(current, k)) {
      yield flush();
      group = [];
    }
    current = k;
    group.push(item);
  }
  if (current !== undefined) yield flush();
}

function* whileTrue(fn: Value, source: Value, take: boolean): Generator<Value> {
  let dropping = true;
  for (const item of each(iterate(source))) {
    if (take) {
      if (!truthy(call(fn, [item]))) return;
      yield item;
    } else {
      dropping = dropping && truthy(call(fn, [item]));
      if (!dropping) yield item;
    }
  }
}

function* longest(sources: readonly PyIterator[], fill: Value): Generator<Value> {
  for (;;) {
    tick(1);
    const row = sources.map((source) => source.next());
    if (row.every((item) => item === undefined)) return;
    yield new PyTuple(row.map((item) => (item === undefined ? fill : item)));
  }
}

/** `count`: a step of 1 gives plain ints, even from True. */
function countedFrom(start: Value, step: Value): Generator<Value> {
  const first = numeric(start);
  return counted(asInt(numeric(step)) === 1 ? (asInt(first) ?? first) : first, step);
}

function numeric(v: Value): Value {
  const isNumber = asNumber(v) !== undefined || v instanceof PyInstance;
  return isNumber ? v : raise('TypeError', 'a number is required');
}

function* counted(start: Value, step: Value): Generator<Value> {
  for (let n = start; ; n = add(n, step)) {
    tick(1);
    yield n;
  }
}

/** How many elements to choose. @throws ValueError */
function atLeastNone(v: Value | undefined): number {
  const r = indexOf(v);
  return r >= 0 ? r : raise('ValueError', 'r must be non-negative');
}

function lazily(
  name: string,
  make: (...args: (Value | undefined)[]) => Generator<Value>,
  signature: string,
): Value {
  return maker(
    name,
    nativeFunction(`${name}(${signature})`, (...args) =>
      iteratorOf(`itertools.${name}`, make(...args)),
    ),
  );
}

/** The functions of this module are classes in Python. */
function maker(name: string, fn: PyBuiltin): PyClass {
  return new PyClass(name, [types.object], {
    module: 'itertools',
    create: (_cls, args, kwargs) => fn.call(args, kwargs),
  });
}

function variadic(name: string, invoke: ConstructorParameters<typeof PyBuiltin>[1]): PyClass {
  return maker(name, new PyBuiltin(name, invoke));
}

function* tuplesOf(rows: Iterable<Value[]>): Generator<Value> {
  for (const row of rows) yield new PyTuple(row);
}
