import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { truthy } from '../objects/compare.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyList } from '../objects/collections/list.ts';
import { asIndex, decimalPlaceOf } from '../objects/numbers/number.ts';
import { defineMethods, defineVariadic } from '../objects/classes/native.ts';
import { asText } from '../objects/object.ts';
import { typeName, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { catching, codePoints, items, iterate } from '../objects/protocol.ts';
import { PySlice } from '../objects/collections/slice.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { bracesFormat } from '../text/braces.ts';
import { LINE_ENDS, SPACES, characters, hasSurrogates, stringItem } from '../text/characters.ts';

export function isString(v: Value): v is string {
  return typeof v === 'string';
}

/** An argument that must be a string. */
export function stringArgument(v: Value | undefined, method: string): string {
  return asText(v) ?? raise('TypeError', `${method} must be str, not ${typeName(v ?? null)}`);
}

const SPACE = new RegExp(`[${SPACES}]`, 'u');
const LEADING_SPACE = new RegExp(`^[${SPACES}]+`, 'u');
const LAST_WORD = new RegExp(`^(.*?)([^${SPACES}]+)$`, 'su');
const LINE = new RegExp(`[^${LINE_ENDS}]*(?:\\r\\n|[${LINE_ENDS}])|[^${LINE_ENDS}]+$`, 'gu');
const LINE_END = new RegExp(`(?:\\r\\n|[${LINE_ENDS}])$`, 'u');

defineMethods(
  types.str,
  { is: isString },
  {
    'find(sub, start=, end=, /)': (self, sub: Value, start, end) =>
      find(self, sub, start, end, false),
    'rfind(sub, start=, end=, /)': (self, sub: Value, start, end) =>
      find(self, sub, start, end, true),
    'index(sub, start=, end=, /)': (self, sub: Value, start, end) =>
      foundAt(find(self, sub, start, end, false)),
    'rindex(sub, start=, end=, /)': (self, sub: Value, start, end) =>
      foundAt(find(self, sub, start, end, true)),
    'count(sub, start=, end=, /)': (self, sub: Value, start, end) => {
      const { text: within, valid } = part(self, start, end);
      const wanted = stringArgument(sub, 'count() argument 1');
      tick(within.length >> 3);
      if (!valid) return 0;
      return wanted === '' ? codePoints(within) + 1 : within.split(wanted).length - 1;
    },
    'startswith(prefix, start=, end=, /)': (self, prefix: Value, start, end) =>
      affix(self, prefix, start, end, 'startsWith'),
    'endswith(suffix, start=, end=, /)': (self, suffix: Value, start, end) =>
      affix(self, suffix, start, end, 'endsWith'),
    'strip(chars=, /)': (self, chars) => strip(self, chars, 'both'),
    'lstrip(chars=, /)': (self, chars) => strip(self, chars, 'left'),
    'rstrip(chars=, /)': (self, chars) => strip(self, chars, 'right'),
    'split(sep=, maxsplit=)': (self, sep, max) => split(self, sep, max, false),
    'rsplit(sep=, maxsplit=)': (self, sep, max) => split(self, sep, max, true),
    'partition(sep, /)': (self, sep: Value) => partition(self, sep, false),
    'rpartition(sep, /)': (self, sep: Value) => partition(self, sep, true),
    'splitlines(keepends=)': (self, keep) => {
      const lines = self.match(LINE) ?? [];
      tick(lines.length);
      return new PyList(
        keep !== undefined && truthy(keep)
          ? lines
          : lines.map((line) => line.replace(LINE_END, '')),
      );
    },
    'replace(old, new, count=, /)': (self, old: Value, fresh: Value, count) =>
      replace(
        self,
        stringArgument(old, 'replace() argument 1'),
        stringArgument(fresh, 'replace() argument 2'),
        count === undefined ? -1 : decimalPlaceOf(count),
      ),
    'removeprefix(prefix, /)': (self, prefix: Value) => {
      const wanted = stringArgument(prefix, 'removeprefix() argument');
      return self.startsWith(wanted) ? self.slice(wanted.length) : self;
    },
    'removesuffix(suffix, /)': (self, suffix: Value) => {
      const wanted = stringArgument(suffix, 'removesuffix() argument');
      return wanted !== '' && self.endsWith(wanted) ? self.slice(0, -wanted.length) : self;
    },
    'join(iterable, /)': (self, iterable: Value) => {
      const all =
        catching(['TypeError'], () => iterate(iterable)) === undefined
          ? raise('TypeError', 'can only join an iterable')
          : items(iterable);
      const strings = all.map(
        (item, i) =>
          asText(item) ??
          raise('TypeError', `sequence item ${i}: expected str instance, ${typeName(item)} found`),
      );
      payForText(strings.reduce((sum, item) => sum + item.length + self.length, 0));
      return strings.join(self);
    },
  },
);

defineVariadic(types.str, { is: isString }, 'format', bracesFormat);
defineMethods(
  types.str,
  { is: isString },
  {
    'format_map(mapping, /)': (self, mapping: Value) => {
      if (!(mapping instanceof PyDict)) return raise('TypeError', 'format_map() needs a dict here');
      const named = mapping
        .pairs()
        .flatMap(([key, value]) => (typeof key === 'string' ? [[key, value] as const] : []));
      return bracesFormat(self, [], new Map(named));
    },
  },
);

function find(
  self: string,
  sub: Value,
  start: Value | undefined,
  end: Value | undefined,
  last: boolean,
): number {
  const wanted = stringArgument(sub, `${last ? 'rfind' : 'find'}() argument 1`);
  const { text: within, at, valid } = part(self, start, end);
  tick(within.length >> 4);
  const found = valid
    ? inCharacters(within, last ? within.lastIndexOf(wanted) : within.indexOf(wanted))
    : -1;
  return found < 0 ? -1 : found + at;
}

/**
 * The part of a string that optional start and end arguments select, and its start in characters.
 */
function part(
  self: string,
  start: Value | undefined,
  end: Value | undefined,
): { text: string; at: number; valid: boolean } {
  if ((start ?? null) === null && (end ?? null) === null) return { text: self, at: 0, valid: true };
  const length = codePoints(self);
  const slice = new PySlice(start ?? null, end ?? null, null);
  const { start: at } = slice.over(length);
  const { stop } = slice.over(length);
  const valid =
    at <= stop && (start === undefined || start === null || Number(asIndex(start)) <= length);
  return { text: stringItem(self, slice), at, valid };
}

/** The position in characters of a position in UTF-16 units. */
function inCharacters(self: string, at: number): number {
  return at < 0 || !hasSurrogates(self) ? at : codePoints(self.slice(0, at));
}

function affix(
  self: string,
  wanted: Value,
  start: Value | undefined,
  end: Value | undefined,
  method: 'startsWith' | 'endsWith',
): boolean {
  const options = wanted instanceof PyTuple ? wanted.items : [wanted];
  const { text: within, valid } = part(self, start, end);
  return options.some((given) => {
    const name = method.toLowerCase();
    const option = asText(given);
    if (option === undefined) {
      return raise(
        'TypeError',
        wanted instanceof PyTuple
          ? `tuple for ${name} must only contain str, not ${typeName(given)}`
          : `${name} first arg must be str or a tuple of str, not ${typeName(given)}`,
      );
    }
    return valid && within[method](option);
  });
}

function split(
  self: string,
  sep: Value | undefined,
  max: Value | undefined,
  fromRight: boolean,
): PyList {
  const separator = optionalText(sep, 'must be str or None');
  const limit = max === undefined ? -1 : decimalPlaceOf(max);
  tick(self.length >> 3);
  if (separator === undefined)
    return new PyList(fromRight ? splitSpaceRight(self, limit) : splitSpace(self, limit));
  if (separator === '') raise('ValueError', 'empty separator');
  const all = self.split(separator);
  if (limit < 0 || all.length <= limit + 1) return new PyList(all);
  const cut = all.length - limit - 1;
  return new PyList(
    fromRight
      ? [all.slice(0, cut + 1).join(separator), ...all.slice(cut + 1)]
      : [...all.slice(0, limit), all.slice(limit).join(separator)],
  );
}

/** A string argument that may also be None or left out. */
function optionalText(v: Value | undefined, what: string): string | undefined {
  if (v === undefined || v === null) return undefined;
  return asText(v) ?? raise('TypeError', `${what}, not ${typeName(v)}`);
}

function splitSpaceRight(self: string, limit: number): string[] {
  const words = splitSpace(self, -1);
  if (limit < 0 || words.length <= limit) return words;
  let rest = strip(self, undefined, 'right');
  const tail: string[] = [];
  while (tail.length < limit) {
    const [, head = '', word = ''] = LAST_WORD.exec(rest) ?? [];
    tail.unshift(word);
    rest = strip(head, undefined, 'right');
  }
  return [rest, ...tail];
}

function splitSpace(self: string, limit: number): string[] {
  const parts = self.replace(LEADING_SPACE, '');
  const found: string[] = [];
  let rest = parts;
  while (rest !== '' && found.length !== limit) {
    tick(1);
    const end = rest.search(SPACE);
    if (end < 0) break;
    found.push(rest.slice(0, end));
    rest = rest.slice(end).replace(LEADING_SPACE, '');
  }
  if (rest !== '') found.push(found.length === limit ? rest : strip(rest, undefined, 'right'));
  return found;
}

function strip(self: string, set: Value | undefined, sides: 'both' | 'left' | 'right'): string {
  const chars = optionalText(set, 'strip arg must be None or str');
  const all = characters(self);
  const drop = chars === undefined ? isSpace : (c: string): boolean => chars.includes(c);
  let from = 0;
  let to = all.length;
  if (sides !== 'right') while (from < to && drop(all[from] ?? '')) from += 1;
  if (sides !== 'left') while (to > from && drop(all[to - 1] ?? '')) to -= 1;
  return all.slice(from, to).join('');
}

function isSpace(c: string): boolean {
  return SPACE.test(c);
}

function partition(self: string, sep: Value, fromRight: boolean): PyTuple {
  const separator = stringArgument(sep, 'partition() argument');
  if (separator === '') raise('ValueError', 'empty separator');
  const at = fromRight ? self.lastIndexOf(separator) : self.indexOf(separator);
  if (at < 0) return new PyTuple(fromRight ? ['', '', self] : [self, '', '']);
  return new PyTuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
}

function replace(self: string, old: string, fresh: string, limit: number): string {
  const pieces = old === '' ? ['', ...characters(self), ''] : self.split(old);
  const changes = Math.min(limit < 0 ? Infinity : limit, pieces.length - 1);
  payForText(self.length + changes * fresh.length);
  tick(pieces.length);
  if (changes === pieces.length - 1) return pieces.join(fresh);
  return [...pieces.slice(0, changes), pieces.slice(changes).join(old)].join(fresh);
}

function foundAt(at: number): number {
  return at >= 0 ? at : raise('ValueError', 'substring not found');
}
