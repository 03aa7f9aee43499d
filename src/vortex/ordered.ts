import { PyClass, PyDict, PyList, PyObject, repr } from '../python/index.ts';
import type { Value } from '../python/index.ts';

const orderedClass = new PyClass('OrderedDict', [], { module: 'collections' });

/** A mapping inside of a list, which TPV's dump prints as the kind of dict that its YAML reader makes. */
export class Ordered extends PyObject {
  readonly pairs: readonly (readonly [Value, Value])[];

  constructor(dict: PyDict) {
    super();
    this.pairs = dict.pairs().map(([key, value]) => [key, insideOfList(value)]);
  }
  get cls(): PyClass {
    return orderedClass;
  }
  override repr(): string {
    const pairs = this.pairs.map(([key, value]) => `(${repr(key)}, ${repr(value)})`);
    return pairs.length === 0 ? 'OrderedDict()' : `OrderedDict([${pairs.join(', ')}])`;
  }
}

/** A value with the mappings inside of its lists as TPV's dump has them. */
export function withOrdered(value: Value): Value {
  if (value instanceof PyList) return new PyList(value.items.map(insideOfList));
  if (!(value instanceof PyDict)) return value;
  return new PyDict(value.pairs().map(([key, item]): [Value, Value] => [key, withOrdered(item)]));
}

function insideOfList(value: Value): Value {
  if (value instanceof PyDict) return new Ordered(value);
  return value instanceof PyList ? new PyList(value.items.map(insideOfList)) : value;
}
