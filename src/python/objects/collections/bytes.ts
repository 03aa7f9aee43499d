import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { overArray } from './iterator.ts';
import { COMPOUND } from '../key.ts';
import { defineClassMethod, defineMethods } from '../classes/native.ts';
import { asIndex, asInt, indexOf, notAnInteger } from '../numbers/number.ts';
import { PyObject } from '../object.ts';
import { PyClass } from '../class.ts';
import { typeName, types } from '../types.ts';
import type { BinaryOp, Key, OrderOp, PyIterator, Value } from '../object.ts';
import { items } from '../protocol.ts';
import { PySlice, position, sliced } from './slice.ts';
import { orderOf } from '../compare.ts';
import { decoded, encoded } from '../../text/encodings.ts';
import { bytesOfHex } from '../../text/hex.ts';

export const bytesClass = new PyClass('bytes', [types.object]);

const ESCAPES: Readonly<Record<number, string>> = { 9: '\\t', 10: '\\n', 13: '\\r', 92: '\\\\' };

/** `bytes`, which hashes and `base64` take and return. */
export class PyBytes extends PyObject {
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    super();
    payForText(data.length);
    this.data = data;
  }
  get cls(): PyClass {
    return bytesClass;
  }
  override truthy(): boolean {
    return this.data.length > 0;
  }
  override repr(): string {
    payForText(this.data.length * 4);
    tick(this.data.length >> 2);
    const hasSingle = this.data.includes(39) && !this.data.includes(34);
    const quote = hasSingle ? '"' : "'";
    const shown = Array.from(this.data, (byte) => {
      if (byte === 39 && !hasSingle) return "\\'";
      return (
        ESCAPES[byte] ??
        (byte >= 32 && byte < 127
          ? String.fromCharCode(byte)
          : `\\x${byte.toString(16).padStart(2, '0')}`)
      );
    });
    return `b${quote}${shown.join('')}${quote}`;
  }
  /** Each byte as the character with its number. */
  get latin(): string {
    tick(this.data.length >> 4);
    let text = '';
    for (let at = 0; at < this.data.length; at += 8192)
      text += String.fromCharCode(...this.data.subarray(at, at + 8192));
    return text;
  }
  override key(): Key {
    return `${COMPOUND}b${this.latin}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof PyBytes
      ? this.data.length === other.data.length && this.latin === other.latin
      : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof PyBytes ? orderOf(op, this.latin, other.latin) : undefined;
  }
  override iterate(): PyIterator {
    tick(this.data.length >> 4);
    return overArray('bytes_iterator', Array.from(this.data));
  }
  override length(): number {
    return this.data.length;
  }
  override item(key: Value): Value {
    if (key instanceof PySlice)
      return new PyBytes(Uint8Array.from(sliced(Array.from(this.data), key)));
    const n = asInt(key);
    if (n === undefined)
      return raise('TypeError', `byte indices must be integers or slices, not ${typeName(key)}`);
    return this.data[position(n, this.data.length, 'index', 'index out of range')] ?? 0;
  }
  override contains(item: Value): boolean {
    tick(this.data.length >> 4);
    if (item instanceof PyBytes) return this.latin.includes(item.latin);
    const n = asInt(item);
    if (n === undefined)
      return raise('TypeError', `a bytes-like object is required, not '${typeName(item)}'`);
    return n >= 0 && n < 256
      ? this.data.includes(Number(n))
      : raise('ValueError', 'byte must be in range(0, 256)');
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (op === '+')
      return right instanceof PyBytes
        ? joined([this, right])
        : raise('TypeError', `can't concat ${typeName(right)} to bytes`);
    const times = op === '*' ? asInt(right) : undefined;
    if (times === undefined) return undefined;
    const count = Math.max(0, indexOf(times));
    payForText(this.data.length * count);
    return joined(Array.from({ length: this.data.length === 0 ? 0 : count }, () => this));
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '*' ? this.binary(op, left) : undefined;
  }
}

/** The data of bytes. @throws TypeError for other values */
export function bytesOf(
  v: Value | undefined,
  what = 'a bytes-like object is required, not',
): PyBytes {
  return v instanceof PyBytes ? v : raise('TypeError', `${what} '${typeName(v ?? null)}'`);
}

defineMethods(bytesClass, PyBytes, {
  'decode(encoding=, errors=)': (self, encoding, errors) => decoded(self.data, encoding, errors),
  'join(iterable, /)': (self, parts: Value = null) =>
    joined(
      items(parts).flatMap((part, i) =>
        i === 0
          ? [bytesOf(part, 'sequence item 0: expected a bytes-like object, not')]
          : [self, bytesOf(part)],
      ),
    ),
});
defineClassMethod(bytesClass, 'fromhex(string, /)', (_cls, given: Value) => {
  const text =
    typeof given === 'string'
      ? given.replaceAll(/\s/g, '')
      : raise('TypeError', `fromhex() argument must be str, not ${typeName(given)}`);
  const wrong = /[^0-9a-f]/i.exec(text)?.index ?? (text.length % 2 === 0 ? -1 : text.length);
  if (wrong >= 0)
    raise('ValueError', `non-hexadecimal number found in fromhex() arg at position ${wrong}`);
  tick(text.length >> 2);
  return new PyBytes(Uint8Array.from(bytesOfHex(text)));
});

/** `bytes(5)`, `bytes([1, 2])` and `bytes('a', 'utf-8')`. */
bytesClass.create = (_cls, [source, encoding, errors]) => {
  if (source === undefined) return new PyBytes(new Uint8Array());
  if (source instanceof PyBytes) return source;
  if (typeof source === 'string')
    return encoding === undefined
      ? raise('TypeError', 'string argument without an encoding')
      : new PyBytes(encoded(source, encoding, errors));
  const size = asIndex(source);
  if (size === undefined) return new PyBytes(Uint8Array.from(items(source), byteOf));
  if (size < 0) raise('ValueError', 'negative count');
  payForText(Number(size));
  return new PyBytes(new Uint8Array(Number(size)));
};

function joined(parts: readonly PyBytes[]): PyBytes {
  const length = parts.reduce((sum, { data }) => sum + data.length, 0);
  payForText(length);
  const all = new Uint8Array(length);
  let at = 0;
  for (const { data } of parts) {
    all.set(data, at);
    at += data.length;
  }
  return new PyBytes(all);
}

function byteOf(v: Value): number {
  const n = asIndex(v) ?? notAnInteger(v);
  return typeof n === 'number' && n >= 0 && n < 256
    ? n
    : raise('ValueError', 'bytes must be in range(0, 256)');
}
