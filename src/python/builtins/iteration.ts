import {
  mapped,
  zipped,
  filtered,
  countFrom,
  enumerated,
  iteratorMaker,
  untilEqual,
} from './iterators.ts';
import { reversed } from './reversed.ts';
import { PyError, raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { add } from '../objects/numbers/arithmetic.ts';
import { gt, lt, sorted, truthy } from '../objects/compare.ts';
import { PyGenerator } from '../objects/collections/generator.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { isCallable } from '../objects/classes/callable.ts';
import { iteratorOf } from '../objects/collections/iterator.ts';
import { PyList } from '../objects/collections/list.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { PyIterator } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import {
  catching,
  flag,
  intFlag,
  items,
  iterate,
  keyFunction,
  lengthOf,
} from '../objects/protocol.ts';

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

/** Built-ins about iterables. */
export const iterationBuiltins: Readonly<Record<string, Value>> = {
  min: new PyBuiltin('min', (args, kwargs) => extreme('min', args, kwargs)),
  max: new PyBuiltin('max', (args, kwargs) => extreme('max', args, kwargs)),
  sum: nativeFunction('sum(iterable, /, start=)', (iterable: Value, start) =>
    sum(iterable, start === undefined ? 0 : start),
  ),
  any: nativeFunction('any(iterable, /)', (iterable: Value) => quantified(iterable, true)),
  all: nativeFunction('all(iterable, /)', (iterable: Value) => quantified(iterable, false)),
  len: nativeFunction('len(obj, /)', lengthOf),
  sorted: nativeFunction(
    'sorted(iterable, /, *, key=, reverse=)',
    (iterable: Value, key, reverse) =>
      new PyList(sorted(items(iterable), keyFunction(key), intFlag(reverse))),
  ),
  next: nativeFunction('next(iterator, default=, /)', next),
  iter: nativeFunction('iter(object, sentinel=, /)', (v: Value, sentinel) =>
    sentinel === undefined
      ? iterate(v)
      : isCallable(v)
        ? iteratorOf('callable_iterator', untilEqual(v, sentinel))
        : raise('TypeError', 'iter(v, w): v must be callable'),
  ),
  map: iteratorMaker('map', ([fn, ...sources]) =>
    fn === undefined || sources.length === 0
      ? raise('TypeError', 'map() must have at least two arguments.')
      : iteratorOf('map', mapped(fn, sources.map(iterate))),
  ),
  filter: iteratorMaker('filter', ([fn, source]) =>
    fn === undefined || source === undefined
      ? raise('TypeError', 'filter expected 2 arguments')
      : iteratorOf('filter', filtered(fn, iterate(source))),
  ),
  zip: iteratorMaker('zip', (sources, kwargs) =>
    iteratorOf('zip', zipped(sources.map(iterate), flag(kwargs?.get('strict')))),
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

/** `min` and `max`: the first of several equal elements wins, which decides between 8 and 8.0. */
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
 * `sum`: adds floats one after the other, as CPython does up to 3.11; 3.12 compensates rounding
 * errors.
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

function quantified(iterable: Value, stopAt: boolean): boolean {
  const iterator = iterate(iterable);
  for (let item = iterator.next(); item !== undefined; item = iterator.next()) {
    tick(1);
    if (truthy(item) === stopAt) return stopAt;
  }
  return !stopAt;
}
