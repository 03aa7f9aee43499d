import { raise } from '../errors.ts';
import { payForText } from './size.ts';
import { tick } from '../meter.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';

type Encoding = 'utf-8' | 'ascii' | 'latin-1';
const NAMES: Readonly<Record<string, Encoding>> = {
  utf8: 'utf-8',
  u8: 'utf-8',
  ascii: 'ascii',
  usascii: 'ascii',
  latin1: 'latin-1',
  iso88591: 'latin-1',
  l1: 'latin-1',
};

type Errors = 'strict' | 'ignore' | 'replace';

/** `str.encode`. @throws UnicodeEncodeError for characters outside the encoding */
export function encoded(
  text: string,
  encoding: Value | undefined,
  errors: Value | undefined,
): Uint8Array {
  const [by, on] = [encodingOf(encoding), errorsOf(errors)];
  payForText(text.length * 3);
  tick(text.length >> 2);
  const most = by === 'ascii' ? 0x7f : by === 'latin-1' ? 0xff : 0x10ffff;
  const isBad = (point: number): boolean =>
    by === 'utf-8' ? point >= 0xd800 && point < 0xe000 : point > most;
  const characters = Array.from(text);
  const bad = characters.findIndex((c) => isBad(c.codePointAt(0) ?? 0));
  if (bad >= 0 && on === 'strict') {
    const point = characters[bad]?.codePointAt(0) ?? 0;
    const shown =
      point < 0x100
        ? `\\x${point.toString(16)}`
        : point < 0x10000
          ? `\\u${point.toString(16).padStart(4, '0')}`
          : `\\U${point.toString(16).padStart(8, '0')}`;
    const reason = by === 'utf-8' ? 'surrogates not allowed' : `ordinal not in range(${most + 1})`;
    raise(
      'UnicodeEncodeError',
      `'${by}' codec can't encode character '${shown}' in position ${bad}: ${reason}`,
    );
  }
  const kept = characters.flatMap((c) =>
    isBad(c.codePointAt(0) ?? 0) ? (on === 'ignore' ? [] : ['?']) : [c],
  );
  return by === 'utf-8' ? utf8(kept.join('')) : Uint8Array.from(kept, (c) => c.codePointAt(0) ?? 0);
}

/** UTF-8 of a text. */
export function utf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const c of text) {
    const point = c.codePointAt(0) ?? 0;
    if (point < 0x80) bytes.push(point);
    else if (point < 0x800) bytes.push(0xc0 | (point >> 6), 0x80 | (point & 63));
    else if (point < 0x10000)
      bytes.push(0xe0 | (point >> 12), 0x80 | ((point >> 6) & 63), 0x80 | (point & 63));
    else
      bytes.push(
        0xf0 | (point >> 18),
        0x80 | ((point >> 12) & 63),
        0x80 | ((point >> 6) & 63),
        0x80 | (point & 63),
      );
  }
  return Uint8Array.from(bytes);
}

/** `bytes.decode`. @throws UnicodeDecodeError */
export function decoded(
  data: Uint8Array,
  encoding: Value | undefined,
  errors: Value | undefined,
): string {
  const [by, on] = [encodingOf(encoding), errorsOf(errors)];
  payForText(data.length);
  tick(data.length >> 2);
  const fail = (at: number, size: number, reason: string): never => {
    const one = `byte 0x${(data[at] ?? 0).toString(16).padStart(2, '0')} in position ${at}`;
    return raise(
      'UnicodeDecodeError',
      `'${by}' codec can't decode ${size === 1 ? one : `bytes in position ${at}-${at + size - 1}`}: ${reason}`,
    );
  };
  const replacement = on === 'ignore' ? '' : '\uFFFD';
  let text = '';
  let at = 0;
  while (at < data.length) {
    const byte = data[at] ?? 0;
    if (by === 'latin-1' || byte < 0x80) {
      text += String.fromCharCode(byte);
      at += 1;
      continue;
    }
    const found =
      by === 'ascii' ? { size: 1, reason: 'ordinal not in range(128)' } : sequenceAt(data, at);
    if ('point' in found) text += String.fromCodePoint(found.point);
    else if (on === 'strict') return fail(at, found.size, found.reason);
    else text += replacement;
    at += found.size;
  }
  return text;
}

type Sequence = { readonly size: number } & (
  | { readonly point: number }
  | { readonly reason: string }
);

function encodingOf(v: Value | undefined): Encoding {
  if (v === undefined) return 'utf-8';
  if (typeof v !== 'string')
    return raise('TypeError', `encode() argument 'encoding' must be str, not ${typeName(v)}`);
  const known = NAMES[v.toLowerCase().replaceAll(/[-_ ]/g, '')];
  return (
    known ?? raise('NotImplementedError', `the encoding '${v}' is not supported in rule files`)
  );
}

function errorsOf(v: Value | undefined): Errors {
  if (v === undefined) return 'strict';
  if (v === 'strict' || v === 'ignore' || v === 'replace') return v;
  return raise(
    'NotImplementedError',
    'only strict, ignore and replace are supported for errors in rule files',
  );
}

/** The UTF-8 sequence at a place, or the number of invalid bytes and the reason. */
function sequenceAt(data: Uint8Array, at: number): Sequence {
  const lead = data[at] ?? 0;
  const length =
    lead >= 0xc2 && lead < 0xe0
      ? 2
      : lead >= 0xe0 && lead < 0xf0
        ? 3
        : lead >= 0xf0 && lead < 0xf5
          ? 4
          : 0;
  if (length === 0) return { size: 1, reason: 'invalid start byte' };
  let point = lead & (0xff >> (length + 1));
  for (let i = 1; i < length; i += 1) {
    const next = data[at + i];
    if (next === undefined) return { size: i, reason: 'unexpected end of data' };
    const [low, high] = i === 1 ? secondRange(lead) : [0x80, 0xbf];
    if (next < low || next > high) return { size: i, reason: 'invalid continuation byte' };
    point = (point << 6) | (next & 0x3f);
  }
  return { size: length, point };
}

/**
 * The range of second bytes that excludes overlong forms, surrogates and code points beyond
 * Unicode.
 */
function secondRange(lead: number): readonly [number, number] {
  if (lead === 0xe0) return [0xa0, 0xbf];
  if (lead === 0xed) return [0x80, 0x9f];
  if (lead === 0xf0) return [0x90, 0xbf];
  return lead === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf];
}
