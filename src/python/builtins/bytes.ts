import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { PyBytes, bytesClass, bytesOf } from '../objects/collections/bytes.ts';
import { PyList } from '../objects/collections/list.ts';
import { defineClassMethod, defineMethods } from '../objects/classes/native.ts';
import type { NativeMethod } from '../objects/classes/native.ts';
import { asInt, indexOf } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName, types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import './letters.ts';
import './strings.ts';

/*
 * Bytes have the methods of strings: each byte becomes one character of a string, the string's
 * method runs, and its result becomes bytes again. Bytes beyond ASCII, and control characters that
 * only strings count as white space, become private characters that are neither letters nor white
 * space.
 */
const HIDDEN = 0xe000;

/**
 * What an argument may be: bytes, bytes or an int from 0 to 255, one prefix or a tuple of them, or
 * anything.
 */
type Kind = 'bytes' | 'byte' | 'affix' | 'other';

const SHARED: Readonly<Record<string, readonly Kind[]>> = {
  'split(sep=, maxsplit=)': ['bytes'],
  'rsplit(sep=, maxsplit=)': ['bytes'],
  'partition(sep, /)': ['bytes'],
  'rpartition(sep, /)': ['bytes'],
  'strip(bytes=, /)': ['bytes'],
  'lstrip(bytes=, /)': ['bytes'],
  'rstrip(bytes=, /)': ['bytes'],
  'find(sub, start=, end=, /)': ['byte'],
  'rfind(sub, start=, end=, /)': ['byte'],
  'count(sub, start=, end=, /)': ['byte'],
  'startswith(prefix, start=, end=, /)': ['affix'],
  'endswith(suffix, start=, end=, /)': ['affix'],
  'replace(old, new, count=, /)': ['bytes', 'bytes'],
  'removeprefix(prefix, /)': ['bytes'],
  'removesuffix(suffix, /)': ['bytes'],
  'ljust(width, fillchar=, /)': ['other', 'bytes'],
  'rjust(width, fillchar=, /)': ['other', 'bytes'],
  'center(width, fillchar=, /)': ['other', 'bytes'],
  'zfill(width, /)': [],
  'expandtabs(tabsize=)': [],
  'upper()': [],
  'lower()': [],
  'title()': [],
  'capitalize()': [],
  'swapcase()': [],
  'isalpha()': [],
  'isalnum()': [],
  'isdigit()': [],
  'islower()': [],
  'isupper()': [],
  'isspace()': [],
  'istitle()': [],
};
/** Line ends for strings, not for bytes. */
const NO_LINE_ENDS = [0x0b, 0x0c];

defineMethods(
  bytesClass,
  PyBytes,
  Object.fromEntries(
    Object.entries(SHARED).map(([signature, kinds]) => [
      signature,
      shared(nameOf(signature), kinds),
    ]),
  ),
);
defineMethods(bytesClass, PyBytes, {
  'splitlines(keepends=)': shared('splitlines', [], NO_LINE_ENDS),
  'index(sub, start=, end=, /)': (self, ...args) => found(shared('find', ['byte'])(self, ...args)),
  'rindex(sub, start=, end=, /)': (self, ...args) =>
    found(shared('rfind', ['byte'])(self, ...args)),
  'isascii()': (self) => self.data.every((byte) => byte < 0x80),
  'hex(sep=, bytes_per_sep=)': hex,
  'translate(table, /, delete=)': translated,
});
defineClassMethod(bytesClass, 'maketrans(frm, to, /)', (_cls, from: Value, to: Value) => {
  const [olds, news] = [bytesOf(from).data, bytesOf(to).data];
  if (olds.length !== news.length) raise('ValueError', 'maketrans arguments must have same length');
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  olds.forEach((old, i) => {
    table[old] = news[i] ?? old;
  });
  return new PyBytes(table);
});

/** The bytes that `int.from_bytes` and its like are given. @throws TypeError */
export function bytesGiven(v: Value): PyBytes {
  if (v instanceof PyBytes) return v;
  const isNone = typeof v === 'string' || asInt(v) !== undefined;
  return isNone
    ? raise('TypeError', `cannot convert '${typeName(v)}' object to bytes`)
    : bytesOf(bytesClass.create(bytesClass, [v]));
}

function shared(
  name: string,
  kinds: readonly Kind[],
  also?: readonly number[],
): NativeMethod<PyBytes> {
  return (self, ...args) => {
    const method = types.str.lookupFor(disguised(self, also), name);
    if (!(method instanceof PyObject))
      return raise('AttributeError', `'bytes' object has no attribute '${name}'`);
    const given = args.map((arg, i) => argument(arg, kinds[i] ?? 'other'));
    const last = given.findLastIndex((arg) => arg !== undefined);
    const absent = name.endsWith('split') ? [null, -1] : [];
    return back(method.call(given.slice(0, last + 1).map((arg, i) => arg ?? absent[i] ?? null)));
  };
}

/** The string that stands for bytes; `also` are further bytes to hide. */
function disguised({ data }: PyBytes, also: readonly number[] = []): string {
  tick(data.length >> 4);
  return Array.from(data, (byte) =>
    String.fromCharCode(isHidden(byte) || also.includes(byte) ? HIDDEN + byte : byte),
  ).join('');
}

function isHidden(byte: number): boolean {
  return byte >= 0x80 || (byte >= 0x1c && byte <= 0x1f);
}

function argument(v: Value | undefined, kind: Kind): Value | undefined {
  if (v === undefined || kind === 'other') return v;
  if (kind === 'affix' && v instanceof PyTuple)
    return new PyTuple(v.items.map((one) => disguised(bytesOf(one))));
  if (kind === 'byte' && !(v instanceof PyBytes) && asInt(v) === undefined)
    raise('TypeError', `argument should be integer or bytes-like object, not '${typeName(v)}'`);
  const n = kind === 'byte' ? asInt(v) : undefined;
  if (n === undefined) return v === null && kind === 'bytes' ? null : disguised(bytesOf(v));
  return n >= 0 && n < 256
    ? disguised(new PyBytes(Uint8Array.of(Number(n))))
    : raise('ValueError', 'byte must be in range(0, 256)');
}

/** Strings in a result, as bytes again. */
function back(v: Value): Value {
  if (typeof v === 'string') return undisguised(v);
  if (v instanceof PyTuple) return new PyTuple(v.items.map(back));
  return v instanceof PyList ? new PyList(v.items.map(back)) : v;
}

function undisguised(text: string): PyBytes {
  return new PyBytes(Uint8Array.from(text, (c) => c.charCodeAt(0) & 0xff));
}

function nameOf(signature: string): string {
  return signature.slice(0, signature.indexOf('('));
}

function found(at: Value): Value {
  return at === -1 ? raise('ValueError', 'subsection not found') : at;
}

/**
 * `bytes.hex` with a separator: groups of `size` bytes, counted from the right, or from the left if
 * negative.
 */
function hex(self: PyBytes, by: Value | undefined, size: Value = 1): string {
  payForText(self.data.length * 3);
  const pairs = Array.from(self.data, (byte) => byte.toString(16).padStart(2, '0'));
  tick(pairs.length >> 2);
  if (by === undefined) return pairs.join('');
  const separator = by instanceof PyBytes ? by.latin : by;
  if (typeof separator !== 'string') return raise('TypeError', 'sep must be str or bytes.');
  if (separator.length !== 1) raise('ValueError', 'sep must be length 1.');
  if (separator > '\x7f') raise('ValueError', 'sep must be ASCII.');
  const group = indexOf(size);
  if (group === 0) return pairs.join('');
  const width = Math.abs(group);
  const first = group > 0 ? pairs.length % width : 0;
  const groups = first === 0 ? [] : [pairs.slice(0, first).join('')];
  for (let at = first; at < pairs.length; at += width)
    groups.push(pairs.slice(at, at + width).join(''));
  return groups.join(separator);
}

function translated(self: PyBytes, table: Value, gone: Value | undefined): PyBytes {
  const by = table === null ? undefined : bytesOf(table).data;
  if (by !== undefined && by.length !== 256)
    raise('ValueError', 'translation table must be 256 characters long');
  const without = gone === undefined ? undefined : bytesOf(gone).data;
  const kept = Array.from(self.data).filter((byte) => without?.includes(byte) !== true);
  return new PyBytes(Uint8Array.from(kept, (byte) => by?.[byte] ?? byte));
}
