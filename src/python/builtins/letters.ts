import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { indexOf, decimalPlaceOf } from '../objects/numbers/number.ts';
import { defineClassMethod, defineMethods } from '../objects/classes/native.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { codePoints, items } from '../objects/protocol.ts';
import { capitalized, folded, isTitle, swapCased, titleCased } from '../text/case.ts';
import { encoded } from '../text/encodings.ts';
import { DIGITS, NUMERALS } from '../text/numerals.ts';
import { SPACES, characters } from '../text/characters.ts';
import { isString, stringArgument } from './strings.ts';

/** A text with its tabs expanded to columns that are multiples of `size`. */
export function expanded(self: string, size: number): string {
  let column = 0;
  let result = '';
  for (const c of characters(self)) {
    const width = c === '\t' ? (size <= 0 ? 0 : size - (column % size)) : 1;
    payForText(result.length + width);
    result += c === '\t' ? ' '.repeat(width) : c;
    column = c === '\n' || c === '\r' ? 0 : column + width;
  }
  return result;
}

defineMethods(
  types.str,
  { is: isString },
  {
    'lower()': (self) => self.toLowerCase(),
    'upper()': (self) => self.toUpperCase(),
    'casefold()': (self) => characters(self).map(folded).join(''),
    'capitalize()': capitalized,
    'title()': titleCased,
    'swapcase()': swapCased,
    'isalpha()': every(/^\p{L}+$/u),
    'isdigit()': every(new RegExp(`^[\\p{Nd}${DIGITS}]+$`, 'u')),
    'isdecimal()': every(/^\p{Nd}+$/u),
    'isnumeric()': every(new RegExp(`^[\\p{N}${NUMERALS}]+$`, 'u')),
    'isalnum()': every(/^[\p{L}\p{N}]+$/u),
    'isspace()': every(new RegExp(`^[${SPACES}]+$`, 'u')),
    'isascii()': every(/^\p{ASCII}*$/u),
    'isidentifier()': every(/^[\p{XID_Start}_][\p{XID_Continue}]*$/u),
    'isprintable()': every(/^(?:[^\p{C}\p{Z}]| )*$/u),
    'islower()': (self) => /\p{Lowercase}/u.test(self) && !/[\p{Uppercase}\p{Lt}]/u.test(self),
    'isupper()': (self) => /\p{Uppercase}/u.test(self) && !/[\p{Lowercase}\p{Lt}]/u.test(self),
    'istitle()': isTitle,
    'ljust(width, fillchar=, /)': (self, width: Value, fill) => aligned(self, width, fill, () => 0),
    'rjust(width, fillchar=, /)': (self, width: Value, fill) =>
      aligned(self, width, fill, (gap) => gap),
    'center(width, fillchar=, /)': (self, width: Value, fill) =>
      aligned(self, width, fill, (gap) => (gap >> 1) + (gap & decimalPlaceOf(width) & 1)),
    'zfill(width, /)': (self, width: Value) => {
      const sign = /^[+-]/.exec(self)?.[0] ?? '';
      const digits = aligned(
        self.slice(sign.length),
        decimalPlaceOf(width) - sign.length,
        '0',
        (gap) => gap,
      );
      return sign + digits;
    },
    'expandtabs(tabsize=)': (self, size = 8) => expanded(self, indexOf(size)),
    'translate(table, /)': translated,
    'encode(encoding=, errors=)': (self, encoding, errors) =>
      new PyBytes(encoded(self, encoding, errors)),
  },
);

defineClassMethod(types.str, 'maketrans(x, y=, z=, /)', (_cls, x: Value, y, z) => {
  if (x instanceof PyDict)
    return new PyDict(
      x
        .pairs()
        .map(
          ([key, value]) =>
            [typeof key === 'string' ? (key.codePointAt(0) ?? 0) : key, value] as const,
        ),
    );
  const [from, to] = [items(x), items(y ?? '')];
  if (from.length !== to.length)
    raise('ValueError', 'the first two maketrans arguments must have equal length');
  const point = (c: Value): number => stringArgument(c, 'maketrans() argument').codePointAt(0) ?? 0;
  const table = new PyDict(from.map((c, i) => [point(c), point(to[i] ?? '')] as const));
  for (const c of items(z ?? '')) table.set(point(c), null);
  return table;
});

/** Case, classification and alignment of strings. */
function every(pattern: RegExp) {
  return (self: string): boolean => {
    tick(self.length >> 4);
    return pattern.test(self);
  };
}

function aligned(
  self: string,
  width: Value,
  fill: Value | undefined,
  place: (gap: number) => number,
): string {
  const filler = fill === undefined ? ' ' : stringArgument(fill, 'The fill character');
  if (codePoints(filler) !== 1)
    raise('TypeError', 'The fill character must be exactly one character long');
  const gap = decimalPlaceOf(width) - codePoints(self);
  if (gap <= 0) return self;
  payForText(self.length + gap);
  const left = place(gap);
  return filler.repeat(left) + self + filler.repeat(gap - left);
}

function translated(self: string, table: Value): string {
  if (!(table instanceof PyDict))
    return raise('TypeError', 'translate() argument must be a dict made by str.maketrans()');
  const shown = characters(self).map((c) => {
    const found = table.get(c.codePointAt(0) ?? 0);
    if (found === undefined) return c;
    return found === null
      ? ''
      : typeof found === 'string'
        ? found
        : String.fromCodePoint(indexOf(found));
  });
  payForText(shown.reduce((sum, c) => sum + c.length, 0));
  return shown.join('');
}
