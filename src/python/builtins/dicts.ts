import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { equals } from '../objects/compare.ts';
import { PyDict, keyError } from '../objects/collections/dict.ts';
import type { Entry } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { defineClassMethod, defineMethods, defineVariadic } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { BinaryOp, Key, Kwargs, OrderOp, PyIterator, Value } from '../objects/object.ts';
import { call, catching, items, iterate } from '../objects/protocol.ts';
import { PySet, combined } from '../objects/collections/set.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { repr, reprInside } from '../text/repr.ts';
const viewClasses = {
  keys: new PyClass('dict_keys', [types.object]),
  values: new PyClass('dict_values', [types.object]),
  items: new PyClass('dict_items', [types.object]),
} as const;

const orderedClasses = {
  keys: new PyClass('odict_keys', [viewClasses.keys]),
  values: new PyClass('odict_values', [viewClasses.values]),
  items: new PyClass('odict_items', [viewClasses.items]),
} as const;

/** `d.keys()`, `d.values()`, `d.items()`: they show later changes of the dict. */
class DictView extends PyObject {
  readonly #dict: PyDict;
  readonly #kind: keyof typeof viewClasses;

  constructor(dict: PyDict, kind: keyof typeof viewClasses) {
    super();
    this.#dict = dict;
    this.#kind = kind;
  }
  get cls(): PyClass {
    return this.#dict.cls.name === 'OrderedDict'
      ? orderedClasses[this.#kind]
      : viewClasses[this.#kind];
  }
  #pick(entry: Entry): Value {
    switch (this.#kind) {
      case 'keys':
        return entry.key;
      case 'values':
        return entry.value;
      case 'items':
        return new PyTuple([entry.key, entry.value]);
      default:
        return this.#kind satisfies never;
    }
  }
  override iterate(): PyIterator {
    return this.#dict.each(`dict_${this.#kind.slice(0, -1)}iterator`, (entry) => this.#pick(entry));
  }
  override length(): number {
    return this.#dict.length();
  }
  override truthy(): boolean {
    return this.length() > 0;
  }
  override repr(): string {
    return reprInside(this, '...', () => `${this.cls.name}(${repr(new PyList(items(this)))})`);
  }
  override contains(item: Value): boolean | undefined {
    if (this.#kind === 'keys') return this.#dict.contains(item);
    if (this.#kind === 'values') return undefined;
    const [key, value] = item instanceof PyTuple ? item.items : [];
    const own = key === undefined ? undefined : this.#dict.get(key);
    return own !== undefined && value !== undefined && equals(own, value);
  }
  override key(): Key {
    return this.#kind === 'values'
      ? this
      : raise('TypeError', `unhashable type: '${this.cls.name}'`);
  }
  override equals(other: Value): Value | undefined {
    if (this.#kind === 'values') return super.equals(other);
    const isAlike =
      (other instanceof DictView && other.#kind !== 'values') || other instanceof PySet;
    // CPython compares the lengths before it hashes anything.
    if (isAlike && other.length() !== this.length()) return false;
    return isAlike ? new PySet(items(this)).equals(new PySet(items(other))) : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (this.#kind === 'values' || !(other instanceof DictView || other instanceof PySet))
      return undefined;
    if (other instanceof DictView && other.#kind === 'values') return undefined;
    return new PySet(items(this)).order(op, new PySet(items(other)));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return this.#kind === 'values' ? undefined : viewOf(op, this, right);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return this.#kind === 'values' ? undefined : viewOf(op, left, this);
  }
}

for (const cls of [viewClasses.keys, viewClasses.items])
  defineMethods(cls, DictView, {
    'isdisjoint(other, /)': (self, other: Value) => {
      if (self === other) return self.length() === 0;
      return !items(other).some((item) => self.contains(item) === true);
    },
  });

/** `dict(...)` and `update(...)`: one optional source, then keywords. */
export function fill(
  dict: PyDict,
  name: string,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): void {
  if (args.length > 1)
    raise('TypeError', `${name} expected at most 1 argument, got ${args.length}`);
  for (const [key, value] of args[0] === undefined ? [] : pairsOf(args[0])) dict.set(key, value);
  for (const [key, value] of kwargs ?? []) dict.set(key, value);
}

defineMethods(types.dict, PyDict, {
  'get(key, default=, /)': (self, key: Value, fallback) => {
    const found = self.get(key);
    return found === undefined ? (fallback ?? null) : found;
  },
  'setdefault(key, default=, /)': (self, key: Value, fallback) => {
    const found = self.get(key);
    if (found !== undefined) return found;
    self.set(key, fallback ?? null);
    return fallback ?? null;
  },
  'pop(key, default=, /)': (self, key: Value, fallback) => {
    const found = self.table.size === 0 ? undefined : self.delete(key);
    if (found !== undefined) return found;
    return fallback === undefined ? keyError(key) : fallback;
  },
  'popitem()': (self) => {
    const last = self.pairs().at(-1);
    if (last === undefined) return keyError('popitem(): dictionary is empty');
    self.delete(last[0]);
    return new PyTuple(last);
  },
  'keys()': (self) => new DictView(self, 'keys'),
  'values()': (self) => new DictView(self, 'values'),
  'items()': (self) => new DictView(self, 'items'),
  'copy()': (self) => self.like(self.pairs()),
  'clear()': (self) => {
    self.clear();
    return null;
  },
});
defineVariadic(types.dict, PyDict, 'update', (self, args, kwargs) => {
  fill(self, 'update', args, kwargs);
  return null;
});
defineClassMethod(types.dict, 'fromkeys(iterable, value=, /)', (_cls, keys: Value, value) => {
  const all = items(keys);
  tick(all.length);
  return new PyDict(all.map((key) => [key, value ?? null] as const));
});
types.dict.create = (cls, args, kwargs) => {
  const made = new PyDict([], cls);
  fill(made, 'dict', args, kwargs);
  return made;
};

/**
 * The pairs that `dict(x)` and `d.update(x)` take: from a dict, an object with
 * keys(), or an iterable of pairs.
 */
function* pairsOf(source: Value): Iterable<readonly [Value, Value]> {
  if (source instanceof PyDict) {
    yield* source.pairs();
    return;
  }
  const keys = source instanceof PyObject ? source.attribute('keys') : undefined;
  if (keys instanceof PyObject && source instanceof PyObject) {
    for (const key of items(call(keys, []))) yield [key, source.item(key)];
    return;
  }
  const iterator = iterate(source);
  for (let i = 0, pair = iterator.next(); pair !== undefined; i += 1, pair = iterator.next()) {
    tick(1);
    yield pairOf(pair, i);
  }
}

function pairOf(pair: Value, i: number): readonly [Value, Value] {
  const parts = catching(['TypeError'], () => items(pair));
  if (parts === undefined)
    return raise(
      'TypeError',
      `cannot convert dictionary update sequence element #${i} to a sequence`,
    );
  const [key, value] = parts;
  if (parts.length !== 2 || key === undefined || value === undefined)
    return raise(
      'ValueError',
      `dictionary update sequence element #${i} has length ${parts.length}; 2 is required`,
    );
  return [key, value];
}

/** `| & - ^` where one side is a view; the other may be any iterable. */
function viewOf(op: BinaryOp, left: Value, right: Value): Value | undefined {
  if (!['|', '&', '-', '^'].includes(op)) return undefined;
  return combined(op, new PySet(items(left)), new PySet(items(right)), false);
}
