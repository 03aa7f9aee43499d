import { PyError, raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { PyBytes, bytesOf } from '../objects/collections/bytes.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/classes/exceptions.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { asText } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { flag } from '../objects/protocol.ts';
import { bytesOfHex, hexDigits } from '../text/hex.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const errorClass = exceptionClass('Error', exceptionNamed('ValueError'), 'binascii');

const URL_SAFE = ['-', '_'] as const;

/** The module `base64`. */
export const base64 = moduleOf('base64', () => ({
  b64encode: nativeFunction('b64encode(s, altchars=)', (v: Value, other) =>
    encode(v, alternatives(other)),
  ),
  b64decode: nativeFunction('b64decode(s, altchars=, validate=)', (v: Value, other, validate) =>
    decode(v, alternatives(other), flag(validate)),
  ),
  standard_b64encode: nativeFunction('standard_b64encode(s)', (v: Value) => encode(v, undefined)),
  standard_b64decode: nativeFunction('standard_b64decode(s)', (v: Value) =>
    decode(v, undefined, false),
  ),
  urlsafe_b64encode: nativeFunction('urlsafe_b64encode(s)', (v: Value) => encode(v, URL_SAFE)),
  urlsafe_b64decode: nativeFunction('urlsafe_b64decode(s)', (v: Value) =>
    decode(v, URL_SAFE, false),
  ),
  b16encode: nativeFunction('b16encode(s)', (v: Value) => {
    const { data } = bytesOf(v);
    payForText(data.length * 2);
    return bytesIn(hexDigits(data).toUpperCase());
  }),
  b16decode: nativeFunction('b16decode(s, casefold=)', (v: Value, casefold) =>
    hexDecoded(v, flag(casefold)),
  ),
}));

/** The module `binascii`: base64 and hexadecimal digits only. */
export const binascii = moduleOf('binascii', () => ({
  Error: errorClass,
  hexlify: nativeFunction('hexlify(data, /)', (v: Value) => bytesIn(hexDigits(bytesOf(v).data))),
  unhexlify: nativeFunction('unhexlify(hexstr, /)', (v: Value) => {
    if (/[^0-9a-fA-F]/.test(letters(v)) && letters(v).length % 2 === 0)
      fail('Non-hexadecimal digit found');
    return hexDecoded(v, true);
  }),
}));

/** The two characters that replace `+` and `/`. */
function alternatives(v: Value | undefined): readonly [string, string] | undefined {
  if (v === undefined || v === null) return undefined;
  const { latin } = bytesOf(v);
  const [plus = '', slash = ''] = latin;
  return latin.length === 2 ? [plus, slash] : raise('AssertionError', '');
}

function encode(v: Value, alternative: readonly [string, string] | undefined): Value {
  const text = encoded(bytesOf(v).data);
  const [plus, slash] = alternative ?? ['+', '/'];
  return bytesIn(text.replaceAll(/[+/]/g, (c) => (c === '+' ? plus : slash)));
}

function encoded(data: Uint8Array): string {
  payForText(data.length * 2);
  tick(data.length >> 2);
  let text = '';
  for (let at = 0; at < data.length; at += 3) {
    const [a = 0, b, c] = [data[at], data[at + 1], data[at + 2]];
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    const four = [18, 12, 6, 0].map((shift) => LETTERS[(bits >> shift) & 63] ?? '').join('');
    text +=
      b === undefined ? `${four.slice(0, 2)}==` : c === undefined ? `${four.slice(0, 3)}=` : four;
  }
  return text;
}

function bytesIn(text: string): PyBytes {
  return new PyBytes(Uint8Array.from(text, (c) => c.charCodeAt(0)));
}

function decode(
  v: Value,
  alternative: readonly [string, string] | undefined,
  isStrict: boolean,
): Value {
  const text = letters(v);
  const [plus, slash] = alternative ?? ['+', '/'];
  return decoded(
    Array.from(text, (c) => (c === plus ? '+' : c === slash ? '/' : c)).join(''),
    isStrict,
  );
}

/** A text of ASCII, or bytes. */
function letters(v: Value): string {
  const text =
    asText(v) ?? bytesOf(v, 'argument should be a bytes-like object or ASCII string, not').latin;
  return asText(v) !== undefined && /[^\0-\x7f]/.test(text)
    ? raise('ValueError', 'string argument should contain only ASCII characters')
    : text;
}

/** Skips other characters unless `isStrict`. */
function decoded(text: string, isStrict: boolean): PyBytes {
  tick(text.length >> 2);
  const bytes: number[] = [];
  let [place, left, pads, isPadded] = [0, 0, 0, false];
  for (const [i, c] of Array.from(text).entries()) {
    if (c === '=') {
      isPadded = true;
      if (place >= 2) pads += 1;
      if (place < 2 || place + pads < 4) continue;
      if (isStrict && i + 1 < text.length) fail('Excess data after padding');
      return new PyBytes(Uint8Array.from(bytes));
    }
    const value = LETTERS.indexOf(c);
    if (value < 0 && isStrict) fail('Only base64 data is allowed');
    if (value < 0) continue;
    if (isPadded && isStrict) fail('Discontinuous padding not allowed');
    pads = 0;
    if (place > 0) bytes.push((((left << 6) | value) >> (6 - 2 * place)) & 0xff);
    left = value & (place === 1 ? 15 : place === 2 ? 3 : 63);
    place = (place + 1) % 4;
    if (place === 0) left = 0;
  }
  if (place === 1)
    fail(
      'Invalid base64-encoded string: number of data characters ' +
        `(${Math.floor(bytes.length / 3) * 4 + 1}) cannot be 1 more than a multiple of 4`,
    );
  return place === 0 ? new PyBytes(Uint8Array.from(bytes)) : fail('Incorrect padding');
}

/** @throws binascii.Error */
function fail(text: string): never {
  throw new PyError('Error', [text], text, new PyException(errorClass, [text]));
}

function hexDecoded(v: Value, casefold: boolean): Value {
  const text = casefold ? letters(v).toUpperCase() : letters(v);
  tick(text.length >> 2);
  if (/[^0-9A-F]/.test(text)) fail('Non-base16 digit found');
  if (text.length % 2 !== 0) fail('Odd-length string');
  return new PyBytes(Uint8Array.from(bytesOfHex(text)));
}
