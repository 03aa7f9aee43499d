import { compare, equals } from '../../objects/compare.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { OrderOp, Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';

const comparisonKeyClass = new PyClass('K', [types.object], { module: 'functools' });

/** The result of `cmp_to_key` for an element: the user's comparison function orders it. */
export class ComparisonKey extends PyObject {
  readonly #compare: Value;
  readonly #item: Value;

  constructor(compareWith: Value, item: Value) {
    super();
    this.#compare = compareWith;
    this.#item = item;
  }
  get cls(): PyClass {
    return comparisonKeyClass;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof ComparisonKey)) return undefined;
    const sign = compare(call(this.#compare, [this.#item, other.#item]), 0);
    switch (op) {
      case '<':
        return sign < 0;
      case '<=':
        return sign <= 0;
      case '>':
        return sign > 0;
      case '>=':
        return sign >= 0;
      default:
        return op satisfies never;
    }
  }
  override equals(other: Value): Value | undefined {
    return other instanceof ComparisonKey
      ? equals(call(this.#compare, [this.#item, other.#item]), 0)
      : undefined;
  }
}
