import { raise } from '../errors.ts';
import { keyError } from '../objects/dict.ts';
import { keyOf } from '../objects/key.ts';
import { defineMethods, defineVariadic } from '../objects/native.ts';
import { types } from '../objects/object.ts';
import type { BinaryOp, PyClass, Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';
import { PySet, combined } from '../objects/set.ts';

const isSet = (v: Value): v is PySet => v instanceof PySet;
const asSet = (v: Value): PySet => (v instanceof PySet ? v : new PySet(items(v)));

const METHODS: readonly (readonly [string, BinaryOp])[] = [
  ['union', '|'],
  ['intersection', '&'],
  ['difference', '-'],
  ['symmetric_difference', '^'],
];

/** The operation over all arguments, from left to right. */
function folded(op: BinaryOp, self: PySet, others: readonly Value[]): PySet {
  return others.reduce<PySet>(
    (left, right) => combined(op, left, asSet(right), self.frozen) ?? left,
    new PySet(self.values(), self.frozen),
  );
}

for (const cls of [types.set, types.frozenset]) {
  for (const [name, op] of METHODS) defineVariadic(cls, isSet, name, (self, args) => folded(op, self, args));
  defineMethods(cls, isSet, {
    'issubset(other, /)': (self, other: Value) => self.within(asSet(other)),
    'issuperset(other, /)': (self, other: Value) => asSet(other).within(self),
    'isdisjoint(other, /)': (self, other: Value) => !items(other).some((item) => self.contains(item)),
    'copy()': (self) => new PySet(self.values(), self.frozen),
  });
  cls.create = (made: PyClass, args) => {
    if (args.length > 1) raise('TypeError', `${made.name} expected at most 1 argument, got ${args.length}`);
    return new PySet(args[0] === undefined ? [] : items(args[0]), cls === types.frozenset);
  };
}

function refill(self: PySet, fresh: PySet): null {
  self.table.clear();
  for (const [key, item] of fresh.table) self.table.set(key, item);
  return null;
}

const UPDATES = {
  update: '|',
  intersection_update: '&',
  difference_update: '-',
  symmetric_difference_update: '^',
} as const;
for (const [name, op] of Object.entries(UPDATES)) {
  defineVariadic(types.set, isSet, name, (self, args) => refill(self, folded(op, self, args)));
}

defineMethods(types.set, isSet, {
  'add(item, /)': (self, item: Value) => {
    self.add(item);
    return null;
  },
  'discard(item, /)': (self, item: Value) => {
    self.table.delete(keyOf(item));
    return null;
  },
  'remove(item, /)': (self, item: Value) => (self.table.delete(keyOf(item)) ? null : keyError(item)),
  'pop()': (self) => {
    const [first] = self.table;
    if (first === undefined) return keyError('pop from an empty set');
    self.table.delete(first[0]);
    return first[1];
  },
  'clear()': (self) => {
    self.table.clear();
    return null;
  },
});
