import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { add } from '../objects/numbers/arithmetic.ts';
import { equals, truthy } from '../objects/compare.ts';
import { asIndex, notAnInteger } from '../objects/numbers/number.ts';
import type { PyIterator } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { call, catching } from '../objects/protocol.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

export function* mapped(fn: Value, sources: readonly PyIterator[]): Generator<Value> {
  for (const row of zipped(sources, false)) if (row instanceof PyTuple) yield call(fn, row.items);
}

export function* zipped(sources: readonly PyIterator[], strict: boolean): Generator<Value> {
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

export function* filtered(fn: Value, source: PyIterator): Generator<Value> {
  for (let item = source.next(); item !== undefined; item = source.next()) {
    tick(1);
    if (truthy(fn === null ? item : call(fn, [item]))) yield item;
  }
}

/** What a function returns, call by call, until it is equal to a sentinel. */
export function* untilEqual(fn: Value, sentinel: Value): Generator<Value> {
  for (;;) {
    tick(1);
    const value = catching(['StopIteration'], () => call(fn, []));
    if (value === undefined || equals(sentinel, value)) return;
    yield value;
  }
}

/** Where `enumerate` begins: an int, or an object with `__index__`. @throws TypeError */
export function countFrom(v: Value): Value {
  return asIndex(v) ?? notAnInteger(v);
}

export function* enumerated(source: PyIterator, start: Value): Generator<Value> {
  let count = start;
  for (let item = source.next(); item !== undefined; item = source.next()) {
    yield new PyTuple([count, item]);
    count = add(count, 1);
  }
}

/** A class whose call makes an iterator: `map`, `zip`, ... */
export function iteratorMaker(
  name: string,
  make: (args: readonly Value[], kwargs: Kwargs | undefined) => Value,
): PyClass {
  return new PyClass(name, [types.object], { create: (_cls, args, kwargs) => make(args, kwargs) });
}

function checkStrict(sources: readonly PyIterator[], shorter: number): void {
  const name = (n: number): string => (n === 1 ? 'argument 1' : `arguments 1-${n}`);
  if (shorter > 0)
    raise('ValueError', `zip() argument ${shorter + 1} is shorter than ${name(shorter)}`);
  const longer = sources.findIndex((source, i) => i > 0 && source.next() !== undefined);
  if (longer > 0)
    raise('ValueError', `zip() argument ${longer + 1} is longer than ${name(longer)}`);
}
