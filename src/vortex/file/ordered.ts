import { PyClass, PyObject, repr } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';

const orderedClass = new PyClass('OrderedDict', [], { module: 'collections' });

/** A mapping inside a list. TPV's dump prints it as the dict type of its YAML reader. */
export class Ordered extends PyObject {
  readonly pairs: readonly (readonly [Value, Value])[];

  constructor(pairs: readonly (readonly [Value, Value])[]) {
    super();
    this.pairs = pairs;
  }
  get cls(): PyClass {
    return orderedClass;
  }
  override repr(): string {
    const pairs = this.pairs.map(([key, value]) => `(${repr(key)}, ${repr(value)})`);
    return pairs.length === 0 ? 'OrderedDict()' : `OrderedDict([${pairs.join(', ')}])`;
  }
}
