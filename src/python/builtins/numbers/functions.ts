import { based, powerOf } from './integers.ts';
import { raise } from '../../errors.ts';
import { hash } from '../../objects/numbers/hash-of.ts';
import { identityShown } from '../../objects/key.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { indexOf } from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { absoluteValue, divmod, round } from './operations.ts';

/** Built-ins about numbers, and the numbers of characters and objects. */
export const numberBuiltins: Readonly<Record<string, Value>> = {
  abs: nativeFunction('abs(x, /)', absoluteValue),
  round: nativeFunction('round(number, ndigits=)', round),
  divmod: nativeFunction('divmod(x, y, /)', divmod),
  pow: nativeFunction('pow(base, exp, mod=)', powerOf),
  hash: nativeFunction('hash(obj, /)', hash),
  id: nativeFunction('id(obj, /)', (v: Value) =>
    v instanceof PyObject ? identityShown(v) : hash(v),
  ),
  bin: nativeFunction('bin(number, /)', (v: Value) => based(v, '0b', 2)),
  oct: nativeFunction('oct(number, /)', (v: Value) => based(v, '0o', 8)),
  hex: nativeFunction('hex(number, /)', (v: Value) => based(v, '0x', 16)),
  chr: nativeFunction('chr(i, /)', (v: Value) => {
    const point = indexOf(v);
    if (point > 0x7fffffff || point < -0x80000000)
      raise('OverflowError', 'Python int too large to convert to C int');
    return point >= 0 && point <= 0x10ffff
      ? String.fromCodePoint(point)
      : raise('ValueError', 'chr() arg not in range(0x110000)');
  }),
  ord: nativeFunction('ord(c, /)', (v: Value) => {
    if (typeof v !== 'string')
      return raise('TypeError', `ord() expected string of length 1, but ${typeName(v)} found`);
    const points = Array.from(v.slice(0, 4));
    return points.length === 1
      ? (v.codePointAt(0) ?? 0)
      : raise(
          'TypeError',
          `ord() expected a character, but string of length ${Array.from(v).length} found`,
        );
  }),
};
