import { raise } from '../errors.ts';
import { payForText, tick } from '../frame.ts';
import { PyDict } from '../objects/dict.ts';
import { indexOf } from '../objects/number.ts';
import { defineClassMethod, defineMethods } from '../objects/native.ts';
import { types } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { codePoints, items } from '../objects/protocol.ts';
import { characters } from '../text/characters.ts';
import { isString, text } from './strings.ts';

/** Case, classification and alignment of strings. */
const every =
  (pattern: RegExp) =>
  (self: string): boolean => {
    tick(self.length >> 4);
    return pattern.test(self);
  };

function capitalized(word: string): string {
  const [first = '', ...rest] = Array.from(word);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

function aligned(self: string, width: Value, fill: Value | undefined, place: (gap: number) => number): string {
  const filler = fill === undefined ? ' ' : text(fill, 'The fill character');
  if (codePoints(filler) !== 1) raise('TypeError', 'The fill character must be exactly one character long');
  const gap = indexOf(width) - codePoints(self);
  if (gap <= 0) return self;
  payForText(self.length + gap);
  const left = place(gap);
  return filler.repeat(left) + self + filler.repeat(gap - left);
}

function expanded(self: string, size: number): string {
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

function translated(self: string, table: Value): string {
  if (!(table instanceof PyDict))
    return raise('TypeError', 'translate() argument must be a dict made by str.maketrans()');
  const shown = characters(self).map((c) => {
    const found = table.get(c.codePointAt(0) ?? 0);
    if (found === undefined) return c;
    return found === null ? '' : typeof found === 'string' ? found : String.fromCodePoint(indexOf(found));
  });
  payForText(shown.reduce((sum, c) => sum + c.length, 0));
  return shown.join('');
}

defineMethods(types.str, isString, {
  'lower()': (self) => self.toLowerCase(),
  'upper()': (self) => self.toUpperCase(),
  'casefold()': (self) => self.replaceAll('ß', 'ss').toLowerCase(),
  'capitalize()': (self) => capitalized(self),
  'title()': (self) => self.replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => capitalized(word)),
  'swapcase()': (self) => Array.from(self, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase())).join(''),
  'isalpha()': every(/^\p{L}+$/u),
  'isdigit()': every(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$/u),
  'isdecimal()': every(/^\p{Nd}+$/u),
  'isnumeric()': every(/^\p{N}+$/u),
  'isalnum()': every(/^[\p{L}\p{N}]+$/u),
  'isspace()': every(/^\p{White_Space}+$/u),
  'isascii()': every(/^\p{ASCII}*$/u),
  'isidentifier()': every(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u),
  'isprintable()': every(/^(?:[^\p{C}\p{Z}]| )*$/u),
  'islower()': (self) => self === self.toLowerCase() && self !== self.toUpperCase(),
  'isupper()': (self) => self === self.toUpperCase() && self !== self.toLowerCase(),
  'istitle()': (self) =>
    /\p{L}/u.test(self) && self === self.replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => capitalized(word)),
  'ljust(width, fillchar=, /)': (self, width: Value, fill) => aligned(self, width, fill, () => 0),
  'rjust(width, fillchar=, /)': (self, width: Value, fill) => aligned(self, width, fill, (gap) => gap),
  'center(width, fillchar=, /)': (self, width: Value, fill) =>
    aligned(self, width, fill, (gap) => (gap >> 1) + (gap & indexOf(width) & 1)),
  'zfill(width, /)': (self, width: Value) => {
    const sign = /^[+-]/.exec(self)?.[0] ?? '';
    const digits = aligned(self.slice(sign.length), indexOf(width) - sign.length, '0', (gap) => gap);
    return sign + digits;
  },
  'expandtabs(tabsize=)': (self, size) => expanded(self, size === undefined ? 8 : indexOf(size)),
  'translate(table, /)': (self, table: Value) => translated(self, table),
  'encode(encoding=, errors=)': () => raise('NotImplementedError', 'bytes are not supported in rule files'),
});

defineClassMethod(types.str, 'maketrans(x, y=, z=, /)', (_cls, x: Value, y, z) => {
  if (x instanceof PyDict)
    return new PyDict(
      x.pairs().map(([key, value]) => [typeof key === 'string' ? (key.codePointAt(0) ?? 0) : key, value] as const),
    );
  const [from, to] = [items(x), items(y ?? '')];
  if (from.length !== to.length) raise('ValueError', 'the first two maketrans arguments must have equal length');
  const point = (c: Value): number => text(c, 'maketrans() argument').codePointAt(0) ?? 0;
  const table = new PyDict(from.map((c, i) => [point(c), point(to[i] ?? '')] as const));
  for (const c of items(z ?? '')) table.set(point(c), null);
  return table;
});
