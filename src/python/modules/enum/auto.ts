import { binary, unary } from '../../objects/numbers/arithmetic.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { BinaryOp, UnaryOp, Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';

const autoClass = new PyClass('auto', [types.object], { module: 'enum' });

/**
 * `auto()`: its value is determined when the class is made. Expressions of the class body over it
 * wait as well, so that `READ_WRITE = READ | WRITE` works.
 */
export class Auto extends PyObject {
  readonly #compute: (next: () => Value) => Value;
  #value: Value | undefined;

  constructor(compute: (next: () => Value) => Value = (next) => next()) {
    super();
    this.#compute = compute;
  }
  get cls(): PyClass {
    return autoClass;
  }
  override repr(): string {
    return `auto(${this.#value === undefined ? '_auto_null' : repr(this.#value)})`;
  }
  override attribute(name: string): Value | undefined {
    return name === 'value' ? (this.#value ?? undefined) : super.attribute(name);
  }
  /** Its value; `next` returns the next free one. */
  resolved(next: () => Value): Value {
    return (this.#value ??= this.#compute(next));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    return new Auto((next) => binary(op, this.resolved(next), resolved(right, next)));
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return new Auto((next) => binary(op, resolved(left, next), this.resolved(next)));
  }
  override unary(op: UnaryOp): Value | undefined {
    return new Auto((next) => unary(op, this.resolved(next)));
  }
}
autoClass.create = (_cls, [value]) => new Auto(value === undefined ? undefined : () => value);

/** A value of a class body without open parts. */
export function resolved(v: Value, next: () => Value): Value {
  return v instanceof Auto ? v.resolved(next) : v;
}

export { autoClass };
