import { PyError, raise } from '../errors.ts';
import { tick } from '../frame.ts';
import { add, sub } from '../objects/arithmetic.ts';
import { gt, sorted, truthy } from '../objects/compare.ts';
import { PyDict, keyError } from '../objects/dict.ts';
import { fill } from '../builtins/dicts.ts';
import { PyList } from '../objects/list.ts';
import { moduleOf } from '../objects/module.ts';
import type { PyModule } from '../objects/module.ts';
import { defineClassMethod, defineGetters, defineMethods, defineVariadic, nativeFunction } from '../objects/native.ts';
import { asNumber, indexOf } from '../objects/number.ts';
import { PyClass, types } from '../objects/object.ts';
import type { BinaryOp, Kwargs, Value } from '../objects/object.ts';
import { call, flag, items } from '../objects/protocol.ts';
import { PyTuple } from '../objects/tuple.ts';
import { repr } from '../text/repr.ts';
import { deque } from './deque.ts';

const defaultDictClass = new PyClass('defaultdict', [types.dict], { module: 'collections' });

/** A dict that makes what is missing. */
class DefaultDict extends PyDict {
  readonly #factory: Value;

  constructor(factory: Value) {
    super([], defaultDictClass, (key) => {
      if (factory === null) return keyError(key);
      const made = call(factory, []);
      this.set(key, made);
      return made;
    });
    this.#factory = factory;
  }
  override repr(): string {
    return `defaultdict(${repr(this.#factory)}, ${super.repr()})`;
  }
  override attribute(name: string): Value | undefined {
    return name === 'default_factory' ? this.#factory : super.attribute(name);
  }
}
defaultDictClass.create = (_cls, [factory = null, ...args], kwargs) => {
  const made = new DefaultDict(factory);
  fill(made, 'defaultdict', args, kwargs);
  return made;
};

const counterClass = new PyClass('Counter', [types.dict], { module: 'collections' });

/** A dict of counts; what was never counted counts 0. */
class Counter extends PyDict {
  constructor() {
    super([], counterClass, () => 0);
  }
  count(source: Value | undefined, kwargs: Kwargs | undefined, operate: (a: Value, b: Value) => Value): void {
    const pairs =
      source instanceof PyDict
        ? source.pairs()
        : items(source ?? new PyTuple([])).map((item): [Value, Value] => [item, 1]);
    for (const [key, n] of [...pairs, ...(kwargs ?? [])]) this.set(key, operate(this.get(key) ?? 0, n));
  }
  common(): [Value, Value][] {
    return sorted(
      this.pairs().map((pair) => new PyTuple(pair)),
      (pair) => (pair instanceof PyTuple ? (pair.items[1] ?? 0) : 0),
      true,
    ).map((pair) => (pair instanceof PyTuple ? [pair.items[0] ?? null, pair.items[1] ?? 0] : [null, 0]));
  }
  override repr(): string {
    const inside = this.common()
      .map(([key, n]) => `${repr(key)}: ${repr(n)}`)
      .join(', ');
    return inside === '' ? 'Counter()' : `Counter({${inside}})`;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (!(right instanceof Counter) || (op !== '+' && op !== '-' && op !== '&' && op !== '|')) return undefined;
    const made = new Counter();
    for (const key of new PyDict([...this.pairs(), ...right.pairs()]).keys()) {
      const [a, b] = [this.get(key) ?? 0, right.get(key) ?? 0];
      const larger = truthy(gt(a, b)) ? a : b;
      const smaller = larger === a ? b : a;
      const n = op === '+' ? add(a, b) : op === '-' ? sub(a, b) : op === '|' ? larger : smaller;
      if (truthy(gt(n, 0))) made.set(key, n);
    }
    return made;
  }
}
const isCounter = (v: Value): v is Counter => v instanceof Counter;
counterClass.create = (_cls, [source], kwargs) => {
  const made = new Counter();
  made.count(source ?? undefined, kwargs, add);
  return made;
};
defineMethods(counterClass, isCounter, {
  'most_common(n=)': (self, n) => {
    const all = self.common().map((pair) => new PyTuple(pair));
    return new PyList(n === undefined || n === null ? all : all.slice(0, Math.max(0, indexOf(n))));
  },
  'elements()': (self) =>
    new PyList(
      self.pairs().flatMap(([key, n]) => {
        const times = Math.max(0, asNumber(n) ?? 0);
        tick(times);
        return Array.from({ length: times }, () => key);
      }),
    ),
  'total()': (self) => self.pairs().reduce<Value>((sum, [, n]) => add(sum, n), 0),
});
for (const [name, operate] of [
  ['update', add],
  ['subtract', sub],
] as const) {
  defineVariadic(counterClass, isCounter, name, (self, [source], kwargs) => {
    self.count(source, kwargs, operate);
    return null;
  });
}

const orderedDictClass = new PyClass('OrderedDict', [types.dict], { module: 'collections' });
class OrderedDict extends PyDict {
  override repr(): string {
    const inside = this.pairs()
      .map(([key, value]) => `(${repr(key)}, ${repr(value)})`)
      .join(', ');
    return inside === '' ? 'OrderedDict()' : `OrderedDict([${inside}])`;
  }
}
orderedDictClass.create = (cls, args, kwargs) => {
  const made = new OrderedDict([], cls);
  fill(made, 'OrderedDict', args, kwargs);
  return made;
};
defineMethods(orderedDictClass, (v: Value): v is OrderedDict => v instanceof OrderedDict, {
  'move_to_end(key, last=)': (self, key: Value, last) => {
    const value = self.delete(key);
    if (value === undefined) return keyError(key);
    const rest = last === undefined || truthy(last) ? [] : self.pairs();
    if (rest.length > 0) self.table.clear();
    self.set(key, value);
    for (const [k, v] of rest) self.set(k, v);
    return null;
  },
  'popitem(last=)': (self, last) => {
    const pair = self.pairs().at(last === undefined || truthy(last) ? -1 : 0);
    if (pair === undefined) throw new PyError('KeyError', ['dictionary is empty'], '');
    self.delete(pair[0]);
    return new PyTuple(pair);
  },
});

/** An instance of a named tuple class. */
class NamedTuple extends PyTuple {
  readonly #fields: readonly string[];

  constructor(elements: readonly Value[], cls: PyClass, fields: readonly string[]) {
    super(elements, cls);
    this.#fields = fields;
  }
  override repr(): string {
    return `${this.cls.name}(${this.items.map((item, i) => `${this.#fields[i] ?? ''}=${repr(item)}`).join(', ')})`;
  }
  get pairs(): [string, Value][] {
    return this.#fields.map((field, i) => [field, this.items[i] ?? null]);
  }
}
const isNamedTuple = (v: Value): v is NamedTuple => v instanceof NamedTuple;

function namedTuple(name: string, fields: readonly string[], defaults: readonly Value[]): PyClass {
  const bad = fields.find(
    (field, i) => !/^[\p{ID_Start}][\p{ID_Continue}]*$/u.test(field) || fields.indexOf(field) !== i,
  );
  if (bad !== undefined)
    raise(
      'ValueError',
      `Type names and field names must be valid identifiers, start with no underscore and differ: ${repr(bad)}`,
    );
  const cls = new PyClass(name, [types.tuple], { module: '__main__' });
  const optional = fields.length - defaults.length;
  cls.create = (_cls, args, kwargs) => {
    if (args.length > fields.length)
      raise(
        'TypeError',
        `${name}.__new__() takes ${fields.length + 1} positional arguments but ${args.length + 1} were given`,
      );
    const unknown = [...(kwargs?.keys() ?? [])].find((key) => !fields.includes(key));
    if (unknown !== undefined) raise('TypeError', `${name}.__new__() got an unexpected keyword argument '${unknown}'`);
    const values = fields.map(
      (field, i) =>
        args[i] ??
        kwargs?.get(field) ??
        (args[i] === null || kwargs?.get(field) === null ? null : defaults[i - optional]),
    );
    const missing = fields.filter((_, i) => values[i] === undefined);
    if (missing.length > 0)
      raise(
        'TypeError',
        `${name}.__new__() missing ${missing.length} required positional argument${missing.length > 1 ? 's' : ''}: ${missing.map((m) => `'${m}'`).join(' and ')}`,
      );
    return new NamedTuple(
      values.filter((v) => v !== undefined),
      cls,
      fields,
    );
  };
  defineGetters(
    cls,
    isNamedTuple,
    Object.fromEntries(fields.map((field, i) => [field, (self: NamedTuple) => self.items[i] ?? null])),
  );
  defineMethods(cls, isNamedTuple, { '_asdict()': (self) => new PyDict(self.pairs) });
  defineVariadic(cls, isNamedTuple, '_replace', (self, _args, kwargs) =>
    call(cls, [], new Map([...self.pairs, ...(kwargs ?? [])])),
  );
  defineClassMethod(cls, '_make(iterable, /)', (_cls, source: Value) => call(cls, items(source)));
  cls.dict.set('_fields', new PyTuple(fields));
  return cls;
}

/** The module `collections`. */
export const collections: PyModule = moduleOf('collections', {
  defaultdict: defaultDictClass,
  Counter: counterClass,
  OrderedDict: orderedDictClass,
  deque,
  namedtuple: nativeFunction(
    'namedtuple(typename, field_names, *, rename=, defaults=, module=)',
    (name: Value, names: Value, rename, defaults) => {
      if (typeof name !== 'string') return raise('TypeError', 'the name of a named tuple must be a string');
      if (flag(rename)) raise('NotImplementedError', 'namedtuple() with rename is not supported');
      const fields =
        typeof names === 'string'
          ? names.split(/[\s,]+/).filter((part) => part !== '')
          : items(names).map((field) => (typeof field === 'string' ? field : repr(field)));
      return namedTuple(name, fields, defaults === undefined || defaults === null ? [] : items(defaults));
    },
  ),
});
