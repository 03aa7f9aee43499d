import { PyDict, PyList, PyObject, repr, str, typeOf } from '../../python/index.ts';
import type { PyClass, Value } from '../../python/index.ts';
import type { Node, ScalarText } from '../../yaml/index.ts';
import { Ordered } from './ordered.ts';
import { fromNode } from '../values.ts';

/** A scalar with its spelling in the file. TPV's dump prints it; no rule sees one. */
export class Spelled extends PyObject {
  readonly inner: Value;
  readonly scalar: ScalarText;

  constructor(inner: Value, scalar: ScalarText) {
    super();
    this.inner = inner;
    this.scalar = scalar;
  }
  get cls(): PyClass {
    return typeOf(this.inner);
  }
  override repr(): string {
    return repr(this.inner);
  }
  override str(): string {
    return str(this.inner);
  }
}

/** The value with plain dicts only, as TPV prints the shared variables. */
export function unordered(value: Value): Value {
  if (value instanceof PyList) return new PyList(value.items.map(unordered));
  const pairs =
    value instanceof Ordered ? value.pairs : value instanceof PyDict ? value.pairs() : undefined;
  return pairs === undefined
    ? value
    : new PyDict(pairs.map(([key, item]): [Value, Value] => [key, unordered(item)]));
}

/**
 * A value that TPV's schema leaves open, as TPV's YAML reader makes it: scalars with their
 * spelling, and mappings inside lists as a dict type of their own.
 */
export function spelledValue(node: Node, isInList: boolean): Value {
  switch (node.kind) {
    case 'int':
    case 'float':
    case 'string':
      return node.spelled === undefined
        ? fromNode(node)
        : new Spelled(fromNode(node), node.spelled);
    case 'seq':
      return new PyList(node.items.map((item) => spelledValue(item, true)));
    case 'map': {
      const pairs = node.entries.map(({ key, value }): [Value, Value] => [
        fromNode(key),
        spelledValue(value, isInList),
      ]);
      return isInList ? new Ordered(pairs) : new PyDict(pairs);
    }
    default:
      return fromNode(node);
  }
}
