import { raise } from '../errors.ts';
import { PyUnion } from '../objects/classes/generic.ts';
import { PyClass } from '../objects/class.ts';
import { typeOf, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { PyTuple } from '../objects/collections/tuple.ts';

/**
 * A class that decides by a function what its instances are: `numbers.Number`,
 * `collections.abc.Mapping`.
 */
export class AbstractClass extends PyClass {
  readonly accepts: (v: Value) => boolean;

  constructor(name: string, module: string, accepts: (v: Value) => boolean) {
    super(name, [types.object], { module });
    this.accepts = accepts;
  }
  override item(): Value {
    return this;
  }
}

/**
 * Whether a value is an instance of a class, of one of a tuple of classes, or of a union.
 * @throws TypeError
 */
export function isInstanceOf(v: Value, of: Value): boolean {
  return fits(
    of,
    (cls) => (cls instanceof AbstractClass ? cls.accepts(v) : typeOf(v).isSubclassOf(cls)),
    'isinstance() arg 2 must be a type, a tuple of types, or a union',
  );
}

export function fits(of: Value, test: (cls: PyClass) => boolean, message: string): boolean {
  const many = of instanceof PyTuple ? of.items : of instanceof PyUnion ? of.members : undefined;
  if (many !== undefined)
    return many.some((one) => fits(one === null ? types.NoneType : one, test, message));
  return of instanceof PyClass ? test(of) : raise('TypeError', message);
}
