import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { lt, sorted, truthy } from '../objects/compare.ts';
import { iteratorOf } from '../objects/collections/iterator.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { asInt, indexOf } from '../objects/numbers/number.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, PyIterator, Value } from '../objects/object.ts';
import { flag, items, iterate, keyFunction } from '../objects/protocol.ts';

/*
 * Heaps are lists in CPython's layout: the same comparisons in the same order, so that a program
 * sees the same lists.
 */

/** The module `heapq`. */
export const heapq = moduleOf('heapq', () => ({
  heappush: nativeFunction('heappush(heap, item, /)', (v: Value, item: Value) => {
    const heap = heapOf(v, 'heappush');
    heap.push(item);
    rise(heap, 0, heap.length - 1);
    return null;
  }),
  heappop: nativeFunction('heappop(heap, /)', (v: Value) => pop(heapOf(v, 'heappop'))),
  heapify: nativeFunction('heapify(heap, /)', (v: Value) => {
    const heap = heapOf(v, 'heapify');
    tick(heap.length);
    for (let i = (heap.length >> 1) - 1; i >= 0; i -= 1) sink(heap, i);
    return null;
  }),
  heapreplace: nativeFunction('heapreplace(heap, item, /)', (v: Value, item: Value) =>
    replaced(heapOf(v, 'heapreplace'), item),
  ),
  heappushpop: nativeFunction('heappushpop(heap, item, /)', (v: Value, item: Value) => {
    const heap = heapOf(v, 'heappushpop');
    const first = heap[0];
    return first !== undefined && less(heap, first, item) ? replaced(heap, item) : item;
  }),
  nlargest: nativeFunction('nlargest(n, iterable, key=)', (n: Value, source: Value, key) =>
    extremes(n, source, key, true),
  ),
  nsmallest: nativeFunction('nsmallest(n, iterable, key=)', (n: Value, source: Value, key) =>
    extremes(n, source, key, false),
  ),
  merge: new PyBuiltin('merge', merge),
}));

function heapOf(v: Value, name: string): Value[] {
  return v instanceof PyList
    ? v.items
    : raise(
        'TypeError',
        `${name}() argument${name === 'heappop' || name === 'heapify' ? '' : ' 1'} must be list, not ${typeName(v)}`,
      );
}

function pop(heap: Value[]): Value {
  const last = heap.pop();
  if (last === undefined) return raise('IndexError', 'index out of range');
  const first = heap[0];
  if (first === undefined) return last;
  heap[0] = last;
  sink(heap, 0);
  return first;
}

/** Moves the element at `at` down to a leaf past the smaller children, then up to its place. */
function sink(heap: Value[], at: number): void {
  const item = heap[at] ?? null;
  let place = at;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * place + 1) {
    const [left, right] = [heap[child] ?? null, heap[child + 1] ?? null];
    const isRight = child + 1 < heap.length && !less(heap, left, right);
    heap[place] = isRight ? right : left;
    place = isRight ? child + 1 : child;
    heap[place] = item;
  }
  rise(heap, at, place);
}

/** Compares two elements; the comparison may be a snippet's and may change the list. */
function less(heap: readonly Value[], a: Value, b: Value): boolean {
  tick(1);
  const size = heap.length;
  const answer = truthy(lt(a, b));
  return heap.length === size
    ? answer
    : raise('RuntimeError', 'list changed size during iteration');
}

/** Moves the element at `at` towards `root` until its parent is not larger. */
function rise(heap: Value[], root: number, at: number): void {
  const item = heap[at] ?? null;
  let place = at;
  while (place > root) {
    const up = (place - 1) >> 1;
    const parent = heap[up] ?? null;
    if (!less(heap, item, parent)) break;
    heap[place] = parent;
    heap[up] = item;
    place = up;
  }
}

function replaced(heap: Value[], item: Value): Value {
  const first = heap[0];
  if (first === undefined) return raise('IndexError', 'index out of range');
  heap[0] = item;
  sink(heap, 0);
  return first;
}

/** The `n` smallest or largest elements. Equal ones keep their order. */
function extremes(n: Value, source: Value, key: Value | undefined, isLargest: boolean): Value {
  const wanted = asInt(n) === undefined ? indexOf(n) : Number(asInt(n));
  const all = items(source);
  if (wanted <= 0) return new PyList([]);
  return new PyList(sorted(all, keyFunction(key), isLargest).slice(0, wanted));
}

function merge(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  for (const name of kwargs?.keys() ?? [])
    if (name !== 'key' && name !== 'reverse')
      raise('TypeError', `merge() got an unexpected keyword argument '${name}'`);
  return iteratorOf('generator', openers(args, kwargs?.get('key'), flag(kwargs?.get('reverse'))));
}

/** Iterates over the arguments only when the first element is requested. */
function* openers(
  args: readonly Value[],
  key: Value | undefined,
  isReverse: boolean,
): Generator<Value> {
  yield* merged(args.map(iterate), key, isReverse);
}

/** The elements of sorted iterables in order; equal ones come from the earlier iterable first. */
function* merged(
  sources: readonly PyIterator[],
  key: Value | undefined,
  isReverse: boolean,
): Generator<Value> {
  const keyOf = keyFunction(key);
  type Head = { item: Value; key: Value; readonly source: PyIterator };
  const next = (source: PyIterator): Head | undefined => {
    const item = source.next();
    return item === undefined
      ? undefined
      : { item, key: keyOf === undefined ? item : keyOf(item), source };
  };
  let heads = sources.map(next).filter((head) => head !== undefined);
  for (;;) {
    tick(1 + heads.length);
    const best = heads.reduce<Head | undefined>((found, head) => {
      if (found === undefined) return head;
      return truthy(isReverse ? lt(found.key, head.key) : lt(head.key, found.key)) ? head : found;
    }, undefined);
    if (best === undefined) return;
    yield best.item;
    const after = next(best.source);
    heads = heads
      .map((head) => (head === best ? after : head))
      .filter((head) => head !== undefined);
  }
}
