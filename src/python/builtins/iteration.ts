import { PyError, raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { add } from '../objects/numbers/arithmetic.ts';
import { gt, lt, sorted, truthy } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyGenerator } from '../objects/collections/generator.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { iteratorOf, overArray } from '../objects/collections/iterator.ts';
import { PyList } from '../objects/collections/list.ts';
import {
  defineGetters,
  defineMethods,
  nativeFunction,
  PyBuiltin,
} from '../objects/classes/native.ts';
import { indexOf, asIndex } from '../objects/numbers/number.ts';
import { PyIterator, PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import {
  call,
  catching,
  flag,
  intFlag,
  items,
  iterate,
  keyFunction,
  lengthOf,
} from '../objects/protocol.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { decoded } from '../text/encodings.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { characters } from '../text/characters.ts';
import { str } from '../text/repr.ts';

export function next(iterator: Value, fallback: Value | undefined): Value {
  const source = iterator instanceof PyIterator ? iterator : undefined;
  if (source === undefined && iterator instanceof PyInstance) {
    if (iterator.cls.lookup('__next__') !== undefined) {
      const value =
        fallback === undefined
          ? iterator.special('__next__')
          : catching(['StopIteration'], () => iterator.special('__next__'));
      return value ?? (value === null ? null : (fallback ?? null));
    }
  }
  if (source === undefined)
    return raise('TypeError', `'${typeName(iterator)}' object is not an iterator`);
  const value = source.next();
  if (value !== undefined) return value;
  if (fallback !== undefined) return fallback;
  const returned = source instanceof PyGenerator ? source.returned : null;
  throw new PyError('StopIteration', returned === null ? [] : [returned], '');
}

types.list.create = (_cls, args) =>
  new PyList(args[0] === undefined ? [] : items(atMostOne('list', args)));
types.tuple.create = (_cls, args) =>
  new PyTuple(args[0] === undefined ? [] : items(atMostOne('tuple', args)));
const STR_KEYWORDS = ['object', 'encoding', 'errors'];
types.str.create = (_cls, args, kwargs) => {
  if (args.length > 3) raise('TypeError', `str() takes at most 3 arguments (${args.length} given)`);
  const strange = [...(kwargs?.keys() ?? [])].find((name) => !STR_KEYWORDS.includes(name));
  if (strange !== undefined)
    raise('TypeError', `'${strange}' is an invalid keyword argument for str()`);
  const [value, encoding, errors] = STR_KEYWORDS.map((name, i) => args[i] ?? kwargs?.get(name));
  if (encoding !== undefined || errors !== undefined) {
    if (value instanceof PyBytes) return decoded(value.data, encoding, errors);
    raise(
      'TypeError',
      `decoding to str: need a bytes-like object, ${typeName(args[0] ?? null)} found`,
    );
  }
  return value === undefined ? (args[0] === null ? 'None' : '') : str(value);
};
types.range.create = (_cls, [first, second, third, ...more]) => {
  if (first === undefined) return raise('TypeError', 'range expected at least 1 argument, got 0');
  if (more.length > 0)
    raise('TypeError', `range expected at most 3 arguments, got ${3 + more.length}`);
  return second === undefined
    ? PyRange.of(0, first, 1)
    : PyRange.of(first, second, third === undefined ? 1 : third);
};
defineGetters(types.range, (v: Value): v is PyRange => v instanceof PyRange, {
  start: (self) => self.start,
  stop: (self) => self.stop,
  step: (self) => self.step,
});
defineMethods(types.slice, (v: Value): v is PySlice => v instanceof PySlice, {
  'indices(object, /)': (self, length: Value) => {
    const n = indexOf(length);
    if (n < 0) raise('ValueError', 'length should not be negative');
    const { start, stop, step } = self.over(n);
    return new PyTuple([start, stop, step]);
  },
});
types.slice.create = (_cls, [first = null, second, third]) =>
  second === undefined ? new PySlice(null, first, null) : new PySlice(first, second, third ?? null);

/** Built-ins about iterables. */
export const iterationBuiltins: Readonly<Record<string, Value>> = {
  min: new PyBuiltin('min', (args, kwargs) => extreme('min', args, kwargs)),
  max: new PyBuiltin('max', (args, kwargs) => extreme('max', args, kwargs)),
  sum: nativeFunction('sum(iterable, /, start=)', (iterable: Value, start) =>
    sum(iterable, start === undefined ? 0 : start),
  ),
  any: nativeFunction('any(iterable, /)', (iterable: Value) => quantified(iterable, true)),
  all: nativeFunction('all(iterable, /)', (iterable: Value) => quantified(iterable, false)),
  len: nativeFunction('len(obj, /)', (v: Value) => lengthOf(v)),
  sorted: nativeFunction(
    'sorted(iterable, /, *, key=, reverse=)',
    (iterable: Value, key, reverse) =>
      new PyList(sorted(items(iterable), keyFunction(key), intFlag(reverse))),
  ),
  next: nativeFunction('next(iterator, default=, /)', (iterator: Value, fallback) =>
    next(iterator, fallback),
  ),
  iter: nativeFunction('iter(object, sentinel=, /)', (v: Value, sentinel) =>
    sentinel === undefined
      ? iterate(v)
      : raise('NotImplementedError', 'iter() with a sentinel is not supported'),
  ),
  map: iteratorMaker('map', ([fn, ...sources]) =>
    fn === undefined || sources.length === 0
      ? raise('TypeError', 'map() must have at least two arguments.')
      : iteratorOf(
          'map',
          mapped(
            fn,
            sources.map((s) => iterate(s)),
          ),
        ),
  ),
  filter: iteratorMaker('filter', ([fn, source]) =>
    fn === undefined || source === undefined
      ? raise('TypeError', 'filter expected 2 arguments')
      : iteratorOf('filter', filtered(fn, iterate(source))),
  ),
  zip: iteratorMaker('zip', (sources, kwargs) =>
    iteratorOf(
      'zip',
      zipped(
        sources.map((s) => iterate(s)),
        flag(kwargs?.get('strict')),
      ),
    ),
  ),
  enumerate: iteratorMaker('enumerate', ([source, start], kwargs) =>
    source === undefined
      ? raise('TypeError', "enumerate() missing required argument 'iterable' (pos 1)")
      : iteratorOf(
          'enumerate',
          enumerated(
            iterate(source),
            countFrom(
              start === undefined
                ? kwargs?.has('start') === true
                  ? (kwargs.get('start') ?? null)
                  : 0
                : start,
            ),
          ),
        ),
  ),
  reversed: iteratorMaker('reversed', ([v]) =>
    v === undefined ? raise('TypeError', 'reversed expected 1 argument, got 0') : reversed(v),
  ),
};

function atMostOne(name: string, args: readonly Value[]): Value {
  return args.length > 1
    ? raise('TypeError', `${name} expected at most 1 argument, got ${args.length}`)
    : (args[0] ?? null);
}

/** `min` and `max`: the first of equals wins, which decides between 8 and 8.0. */
function extreme(name: 'min' | 'max', args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const [first] = args;
  if (first === undefined) return raise('TypeError', `${name} expected at least 1 argument, got 0`);
  for (const key of kwargs?.keys() ?? [])
    if (key !== 'key' && key !== 'default')
      raise('TypeError', `${name}() got an unexpected keyword argument '${key}'`);
  const fallback = kwargs?.get('default');
  if (args.length > 1 && fallback !== undefined)
    raise('TypeError', `Cannot specify a default for ${name}() with multiple positional arguments`);
  const candidates = args.length > 1 ? args : items(first);
  const key = keyFunction(kwargs?.get('key'));
  const beats = name === 'max' ? gt : lt;
  let best: Value | undefined;
  let bestKey: Value = null;
  for (const candidate of candidates) {
    const own = key === undefined ? candidate : key(candidate);
    if (best === undefined || truthy(beats(own, bestKey))) [best, bestKey] = [candidate, own];
  }
  return (
    best ??
    (best === null
      ? null
      : (fallback ??
        (fallback === null ? null : raise('ValueError', `${name}() arg is an empty sequence`))))
  );
}

/**
 * `sum`: floats are added one after the other, as CPython does up to 3.11;
 * 3.12 compensates their errors.
 */
function sum(iterable: Value, start: Value): Value {
  if (typeof start === 'string')
    raise('TypeError', "sum() can't sum strings [use ''.join(seq) instead]");
  const iterator = iterate(iterable);
  let total: Value = start;
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    total = add(total, item);
  }
  return total;
}

function* mapped(fn: Value, sources: readonly PyIterator[]): Generator<Value> {
  for (const row of zipped(sources, false)) if (row instanceof PyTuple) yield call(fn, row.items);
}

function* zipped(sources: readonly PyIterator[], strict: boolean): Generator<Value> {
  if (sources.length === 0) return;
  for (;;) {
    const row: Value[] = [];
    for (const [i, source] of sources.entries()) {
      const item = source.next();
      if (item === undefined) {
        if (strict) checkStrict(sources, i);
        return;
      }
      row.push(item);
    }
    tick(1);
    yield new PyTuple(row);
  }
}

function checkStrict(sources: readonly PyIterator[], shorter: number): void {
  const name = (n: number): string => (n === 1 ? 'argument 1' : `arguments 1-${n}`);
  if (shorter > 0)
    raise('ValueError', `zip() argument ${shorter + 1} is shorter than ${name(shorter)}`);
  const longer = sources.findIndex((source, i) => i > 0 && source.next() !== undefined);
  if (longer > 0)
    raise('ValueError', `zip() argument ${longer + 1} is longer than ${name(longer)}`);
}

function* filtered(fn: Value, source: PyIterator): Generator<Value> {
  for (let item = source.next(); item !== undefined; item = source.next()) {
    tick(1);
    if (truthy(fn === null ? item : call(fn, [item]))) yield item;
  }
}

/** Where a count begins: an int, or what gives one as its index. @throws TypeError */
function countFrom(v: Value): Value {
  return (
    asIndex(v) ?? raise('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`)
  );
}

function* enumerated(source: PyIterator, start: Value): Generator<Value> {
  let count = start;
  for (let item = source.next(); item !== undefined; item = source.next()) {
    yield new PyTuple([count, item]);
    count = add(count, 1);
  }
}

function reversed(v: Value): Value {
  if (typeof v === 'string') return overArray('reversed', characters(v).reverse());
  if (v instanceof PyRange) return iterate(v.item(new PySlice(null, null, -1)));
  if (v instanceof PyList || v instanceof PyTuple)
    return overArray('list_reverseiterator', [...v.items].reverse());
  if (v instanceof PyObject && /^(?:deque|o?dict_\w+)$/.test(v.cls.name))
    return overArray('reversed', items(v).reverse());
  if (v instanceof PyDict) return overArray('dict_reversekeyiterator', v.keys().reverse());
  const own =
    v instanceof PyInstance
      ? v.special('__reversed__')
      : v instanceof PyObject
        ? v.reversed()
        : undefined;
  if (own !== undefined) return own;
  if (v instanceof PyObject && v.cls.name.startsWith('dict_'))
    return overArray('reversed', items(v).reverse());
  return raise('TypeError', `'${typeName(v)}' object is not reversible`);
}

function quantified(iterable: Value, stopAt: boolean): boolean {
  const iterator = iterate(iterable);
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    if (truthy(item) === stopAt) return stopAt;
  }
  return !stopAt;
}

/** A class whose call makes an iterator: `map`, `zip`, ... */
function iteratorMaker(
  name: string,
  make: (args: readonly Value[], kwargs: Kwargs | undefined) => Value,
): PyClass {
  return new PyClass(name, [types.object], { create: (_cls, args, kwargs) => make(args, kwargs) });
}
