import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { add, sub } from '../../objects/numbers/arithmetic.ts';
import { equals, gt, orderOf, sorted, truthy } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { defineMethods, defineVariadic } from '../../objects/classes/native.ts';
import { asNumber, indexOf } from '../../objects/numbers/number.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { BinaryOp, Kwargs, OrderOp, UnaryOp, Value } from '../../objects/object.ts';
import { catching, iterate } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';

export const counterClass = new PyClass('Counter', [types.dict], { module: 'collections' });

/** A dict of counts; a missing key counts 0. */
class Counter extends PyDict {
  constructor() {
    super([], counterClass, () => 0);
  }
  count(
    source: Value | undefined,
    kwargs: Kwargs | undefined,
    operate: (a: Value, b: Value) => Value,
  ): void {
    const isFirst = source instanceof PyDict && this.table.size === 0 && operate === add;
    if (source instanceof PyDict)
      for (const [key, n] of source.pairs())
        this.set(key, isFirst ? n : operate(countOf(this, key), n));
    const iterator =
      source === undefined || source === null || source instanceof PyDict
        ? undefined
        : iterate(source);
    for (let item = iterator?.next(); item !== undefined; item = iterator?.next()) {
      tick(1);
      this.set(item, operate(countOf(this, item), 1));
    }
    for (const [key, n] of kwargs ?? []) this.set(key, operate(countOf(this, key), n));
  }
  common(): [Value, Value][] {
    return sorted(
      this.pairs().map((pair) => new PyTuple(pair)),
      (pair) => (pair instanceof PyTuple ? (pair.items[1] ?? null) : 0),
      true,
    ).map((pair) =>
      pair instanceof PyTuple ? [pair.items[0] ?? null, pair.items[1] ?? null] : [null, 0],
    );
  }
  override like(pairs: Iterable<readonly [Value, Value]>): PyDict {
    const made = new Counter();
    for (const [key, value] of pairs) made.set(key, value);
    return made;
  }
  override repr(): string {
    const inside = (catching(['TypeError'], () => this.common()) ?? this.pairs())
      .map(([key, n]) => `${repr(key)}: ${repr(n)}`)
      .join(', ');
    return inside === '' ? 'Counter()' : `Counter({${inside}})`;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '|' && right instanceof PyDict && !(right instanceof Counter))
      return right.like([...this.pairs(), ...right.pairs()]);
    if (!(right instanceof Counter) || (op !== '+' && op !== '-' && op !== '&' && op !== '|'))
      return undefined;
    const made = new Counter();
    for (const key of new PyDict([...this.pairs(), ...right.pairs()]).keys()) {
      const [a, b] = [countOf(this, key), countOf(right, key)];
      const larger = truthy(gt(a, b)) ? a : b;
      const smaller = larger === a ? b : a;
      const n = op === '+' ? add(a, b) : op === '-' ? sub(a, b) : op === '|' ? larger : smaller;
      if (truthy(gt(n, 0))) made.set(key, n);
    }
    return made;
  }
  override deleteItem(key: Value): void {
    this.delete(key);
  }
  /** Compares counts key by key. */
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof Counter)) return undefined;
    const keys = new PyDict([...this.pairs(), ...other.pairs()]).keys();
    const wide = op === '<' || op === '<=' ? '<=' : '>=';
    const holds = keys.every((key) =>
      truthy(orderOf(wide, countOf(this, key), countOf(other, key))),
    );
    return (
      holds && (op === wide || keys.some((key) => !equals(countOf(this, key), countOf(other, key))))
    );
  }
  override unary(op: UnaryOp): Value | undefined {
    if (op === '~') return undefined;
    const none = new Counter();
    return op === '+' ? this.binary('+', none) : none.binary('-', this);
  }
  override inplace(op: BinaryOp, right: Value): Value | undefined {
    if (!(right instanceof PyDict) && (op === '+' || op === '-' || op === '|'))
      raise('AttributeError', `'${typeName(right)}' object has no attribute 'items'`);
    const other = new Counter();
    if (right instanceof PyDict) for (const [key, n] of right.pairs()) other.set(key, n);
    const result = right instanceof PyDict ? this.binary(op, other) : undefined;
    if (!(result instanceof Counter)) return undefined;
    this.clear();
    for (const [key, n] of result.pairs()) this.set(key, n);
    return this;
  }
}
counterClass.create = (_cls, [source], kwargs) => {
  const made = new Counter();
  made.count(source ?? undefined, kwargs, add);
  return made;
};
defineMethods(counterClass, Counter, {
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
  defineVariadic(counterClass, Counter, name, (self, [source], kwargs) => {
    self.count(source, kwargs, operate);
    return null;
  });
}

/** The count of a key; it need not be a number. */
function countOf(counts: PyDict, key: Value): Value {
  const found = counts.get(key);
  return found === undefined ? 0 : found;
}
