import { AbstractClass } from '../builtins/class-tests.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { asNumber, isIntValue } from '../objects/numbers/number.ts';
import type { PyClass } from '../objects/class.ts';
import type { Value } from '../objects/object.ts';

/** The module `numbers`. */
export const numbers = moduleOf('numbers', {
  Number: numberClass('Number', isNumber),
  Complex: numberClass('Complex', isNumber),
  Real: numberClass('Real', isNumber),
  Rational: numberClass('Rational', isIntValue),
  Integral: numberClass('Integral', isIntValue),
});

function isNumber(v: Value): boolean {
  return asNumber(v) !== undefined;
}

function numberClass(name: string, accepts: (v: Value) => boolean): PyClass {
  return new AbstractClass(name, 'numbers', accepts);
}
