import { PyClass, PyObject, repr } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';

const orderedClass = new PyClass('OrderedDict', [], { module: 'collections' });

/**
 * A mapping inside of a list, which TPV's dump prints as the kind of
 * dict that its YAML reader makes.
 */
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
