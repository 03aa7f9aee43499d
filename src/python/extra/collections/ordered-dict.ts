import { PyError } from '../../errors.ts';
import { equals, truthy } from '../../objects/compare.ts';
import { PyDict, keyError } from '../../objects/collections/dict.ts';
import type { Entry } from '../../objects/collections/dict.ts';
import { fill } from '../../builtins/dicts.ts';
import { overOrdered } from '../../objects/collections/iterator.ts';
import { defineMethods } from '../../objects/classes/native.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { PyIterator, Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { repr } from '../../text/repr.ts';

export const orderedDictClass = new PyClass('OrderedDict', [types.dict], { module: 'collections' });
class OrderedDict extends PyDict {
  /** How often keys were added or removed. */
  state = 0;
  override set(key: Value, value: Value): void {
    const { size } = this.table;
    super.set(key, value);
    if (this.table.size !== size) this.state += 1;
  }
  override delete(key: Value): Value | undefined {
    this.state += 1;
    return super.delete(key);
  }
  override clear(): void {
    this.state += 1;
    super.clear();
  }
  override each(_name: string, pick: (entry: Entry) => Value): PyIterator {
    return overOrdered(this, pick);
  }
  override get joinsFirst(): boolean {
    return true;
  }
  override like(pairs: Iterable<readonly [Value, Value]>): PyDict {
    return new OrderedDict(pairs, this.cls);
  }
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
defineMethods(orderedDictClass, OrderedDict, {
  'move_to_end(key, last=)': (self, key: Value, last) => {
    const toEnd = last === undefined || truthy(last);
    const keys = self.keys();
    const edge = toEnd ? keys.at(-1) : keys[0];
    if (edge !== undefined && equals(edge, key)) return null;
    const value = self.delete(key);
    if (value === undefined) return keyError(key);
    const rest = toEnd ? [] : self.pairs();
    if (rest.length > 0) self.clear();
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
