import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { lt, truthy } from '../objects/compare.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { asIndex, decimalPlaceOf, notAnInteger } from '../objects/numbers/number.ts';
import type { Value } from '../objects/object.ts';
import { call, getAttribute, keyFunction, lengthOf } from '../objects/protocol.ts';
import { getItem } from '../objects/subscripts.ts';

type Side = 'left' | 'right';
type Range = {
  readonly lo: Value | undefined;
  readonly hi: Value | undefined;
  readonly key: Value | undefined;
};

/** The module `bisect`. */
export const bisect = moduleOf('bisect', () => ({
  bisect: search('bisect_right', 'right'),
  bisect_left: search('bisect_left', 'left'),
  bisect_right: search('bisect_right', 'right'),
  insort: insertion('insort_right', 'right'),
  insort_left: insertion('insort_left', 'left'),
  insort_right: insertion('insort_right', 'right'),
}));

function search(name: string, side: Side): Value {
  return nativeFunction(`${name}(a, x, lo=, hi=, *, key=)`, (a: Value, x: Value, lo, hi, key) =>
    place(side, a, x, { lo, hi, key }),
  );
}

/** Where `x` belongs in the sorted `a`: before its equals for `left`, after them for `right`. */
function place(side: Side, a: Value, x: Value, { lo, hi, key }: Range): number {
  let low = lo === undefined ? 0 : bound(lo);
  if (low < 0) raise('ValueError', 'lo must be non-negative');
  let high = hi === undefined || hi === null ? lengthOf(a) : bound(hi);
  const keyOf = keyFunction(key);
  while (low < high) {
    tick(1);
    const middle = Math.floor((low + high) / 2);
    const item = getItem(a, middle);
    const own = keyOf === undefined ? item : keyOf(item);
    if (side === 'left') {
      if (truthy(lt(own, x))) low = middle + 1;
      else high = middle;
    } else if (truthy(lt(x, own))) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A bound of the search. @throws TypeError */
function bound(v: Value): number {
  return asIndex(v) === undefined ? notAnInteger(v) : decimalPlaceOf(v);
}

function insertion(name: string, side: Side): Value {
  return nativeFunction(`${name}(a, x, lo=, hi=, *, key=)`, (a: Value, x: Value, lo, hi, key) =>
    insort(side, a, x, { lo, hi, key }),
  );
}

function insort(side: Side, a: Value, x: Value, range: Range): Value {
  const keyOf = keyFunction(range.key);
  const found = place(side, a, keyOf === undefined ? x : keyOf(x), range);
  if (!(a instanceof PyList)) {
    call(getAttribute(a, 'insert'), [found, x]);
    return null;
  }
  tick(1 + (a.items.length >> 6));
  a.items.splice(found, 0, x);
  return null;
}
