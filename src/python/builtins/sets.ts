import { raise } from '../errors.ts';
import { keyError } from '../objects/collections/dict.ts';
import { defineMethods, defineVariadic } from '../objects/classes/native.ts';
import { types } from '../objects/types.ts';
import type { BinaryOp, Value } from '../objects/object.ts';
import type { PyClass } from '../objects/class.ts';
import { items } from '../objects/protocol.ts';
import { PySet, combined, toggled } from '../objects/collections/set.ts';

const METHODS: readonly (readonly [string, BinaryOp])[] = [
  ['union', '|'],
  ['intersection', '&'],
  ['difference', '-'],
  ['symmetric_difference', '^'],
];

for (const cls of [types.set, types.frozenset]) {
  for (const [name, op] of METHODS)
    defineVariadic(cls, PySet, name, (self, args) => {
      if (op === '^' && args.length !== 1)
        raise(
          'TypeError',
          `${cls.name}.symmetric_difference() takes exactly one argument (${args.length} given)`,
        );
      return op === '|' ? joined(self, args) : folded(op, self, args);
    });
  defineMethods(cls, PySet, {
    'issubset(other, /)': (self, other: Value) => self.within(asSet(other)),
    'issuperset(other, /)': (self, other: Value) =>
      (other instanceof PySet ? other.values() : items(other)).every((item) =>
        self.table.has(self.keyOf(item)),
      ),
    'isdisjoint(other, /)': (self, other: Value) =>
      !(other instanceof PySet ? other.values() : items(other)).some((item) =>
        self.table.has(self.keyOf(item)),
      ),
    'copy()': (self) => (self.frozen ? self : self.copy(false)),
  });
  cls.create = (made: PyClass, args) => {
    if (args.length > 1)
      raise('TypeError', `${made.name} expected at most 1 argument, got ${args.length}`);
    const [source] = args;
    if (source instanceof PySet)
      return source.frozen && cls === types.frozenset
        ? source
        : source.copy(cls === types.frozenset);
    return new PySet(source === undefined ? [] : items(source), cls === types.frozenset);
  };
}

const UPDATES = {
  update: '|',
  intersection_update: '&',
  difference_update: '-',
  symmetric_difference_update: '^',
} as const;
for (const [name, op] of Object.entries(UPDATES)) {
  defineVariadic(types.set, PySet, name, (self, args) => {
    if (op === '^' && args.length !== 1)
      raise(
        'TypeError',
        `set.symmetric_difference_update() takes exactly one argument (${args.length} given)`,
      );
    for (const other of args) {
      if (op === '|') addAll(self, other);
      else self.update(op, asSet(other));
    }
    return null;
  });
}

defineMethods(types.set, PySet, {
  'add(item, /)': (self, item: Value) => {
    self.add(item);
    return null;
  },
  'discard(item, /)': (self, item: Value) => {
    self.drop(self.wanted(item));
    return null;
  },
  'remove(item, /)': (self, item: Value) => (self.drop(self.wanted(item)) ? null : keyError(item)),
  'pop()': (self) => {
    const taken = self.pop();
    return taken === undefined ? keyError('pop from an empty set') : taken;
  },
  'clear()': (self) => {
    self.clear();
    return null;
  },
});

/** The operation applied to all arguments, from left to right. */
function folded(op: BinaryOp, self: PySet, others: readonly Value[]): PySet {
  if (others.length === 0) return self.copy(self.frozen);
  return others.reduce<PySet>((left, right, i) => {
    if (op === '-' && i > 0) {
      for (const item of right instanceof PySet ? right.values() : items(right))
        left.drop(left.keyOf(item));
      left.tidy();
      return left;
    }
    if (right instanceof PySet) return combined(op, left, right, self.frozen) ?? left;
    if (op === '^') return toggled(left, new PySet(items(right), self.frozen));
    if (op === '-') {
      const made = left.copy(self.frozen);
      for (const item of items(right)) made.drop(made.keyOf(item));
      made.tidy();
      return made;
    }
    if (op === '&')
      return new PySet(
        items(right).filter((item) => left.table.has(left.keyOf(item))),
        self.frozen,
      );
    return combined(op, left, asSet(right), self.frozen) ?? left;
  }, self);
}

function asSet(v: Value): PySet {
  return v instanceof PySet ? v : new PySet(items(v));
}

/** `union` and `update` take any iterable and add its elements one by one. */
function joined(self: PySet, others: readonly Value[]): PySet {
  const made = self.copy(self.frozen);
  for (const other of others) addAll(made, other);
  return made;
}

function addAll(self: PySet, other: Value): void {
  if (other instanceof PySet) self.merge(other);
  else for (const item of items(other)) self.add(item);
}
