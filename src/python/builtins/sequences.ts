import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { equals, sorted } from '../objects/compare.ts';
import { PyList } from '../objects/collections/list.ts';
import { defineMethods } from '../objects/classes/native.ts';
import { decimalPlaceOf } from '../objects/numbers/number.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { intFlag, items, keyFunction } from '../objects/protocol.ts';
import { PyRange } from '../objects/collections/range.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { repr } from '../text/repr.ts';

defineMethods(types.list, PyList, {
  'append(object, /)': (self, item: Value) => {
    self.items.push(item);
    return null;
  },
  'extend(iterable, /)': (self, more: Value) => {
    self.extend(items(more));
    return null;
  },
  'insert(index, object, /)': (self, index: Value, item: Value) => {
    tick(self.items.length >> 3);
    const at = decimalPlaceOf(index);
    self.items.splice(at < 0 ? Math.max(0, self.items.length + at) : at, 0, item);
    return null;
  },
  'pop(index=, /)': (self, index) => {
    const at = index === undefined ? -1 : decimalPlaceOf(index);
    if (self.items.length === 0) raise('IndexError', 'pop from empty list');
    const from = at < 0 ? at + self.items.length : at;
    if (from < 0 || from >= self.items.length) raise('IndexError', 'pop index out of range');
    tick(self.items.length >> 6);
    return self.items.splice(from, 1)[0] ?? null;
  },
  'remove(value, /)': (self, item: Value) => {
    const at = search(self.items, item);
    if (at < 0) raise('ValueError', 'list.remove(x): x not in list');
    self.items.splice(at, 1);
    return null;
  },
  'clear()': (self) => {
    self.items.length = 0;
    return null;
  },
  'copy()': (self) => {
    tick(self.items.length);
    return new PyList([...self.items]);
  },
  'reverse()': (self) => {
    tick(self.items.length);
    self.items.reverse();
    return null;
  },
  'index(value, start=, end=, /)': (self, item: Value, start, end) => {
    const at = search(self.items, item, start, end);
    return at >= 0 ? at : raise('ValueError', `${repr(item)} is not in list`);
  },
  'count(value, /)': (self, item: Value) => count(self.items, item),
  'sort(*, key=, reverse=)': (self, key, reverse) => {
    self.replace(sorted([...self.items], keyFunction(key), intFlag(reverse)));
    return null;
  },
});

defineMethods(types.tuple, PyTuple, {
  'index(value, start=, end=, /)': (self, item: Value, start, end) => {
    const at = search(self.items, item, start, end);
    return at >= 0 ? at : raise('ValueError', 'tuple.index(x): x not in tuple');
  },
  'count(value, /)': (self, item: Value) => count(self.items, item),
});

defineMethods(types.range, PyRange, {
  'index(value, /)': (self, item: Value) => {
    const at = self.indexOf(item);
    return at >= 0 ? at : raise('ValueError', `${repr(item)} is not in range`);
  },
  'count(value, /)': (self, item: Value) => (self.indexOf(item) >= 0 ? 1 : 0),
});

/** Position of the first element equal to `item` in an optional range. */
function search(list: readonly Value[], item: Value, start?: Value, end?: Value): number {
  if (start === null || end === null)
    raise('TypeError', 'slice indices must be integers or have an __index__ method');
  const { start: from, count } = new PySlice(start ?? null, end ?? null, null).over(list.length);
  tick(count);
  const at = list.slice(from, from + count).findIndex((own) => own === item || equals(own, item));
  return at < 0 ? -1 : at + from;
}

function count(list: readonly Value[], item: Value): number {
  tick(list.length);
  return list.filter((own) => own === item || equals(own, item)).length;
}
