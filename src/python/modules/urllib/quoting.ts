import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { raise } from '../../errors.ts';
import { stringArgument } from '../../builtins/strings.ts';
import { PyBytes, bytesOf } from '../../objects/collections/bytes.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { asText, PyObject } from '../../objects/object.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { decoded, encoded, utf8 } from '../../text/encodings.ts';

const SAFE = /[A-Za-z0-9_.~-]/;

/** `urllib.parse.quote_plus`: a space becomes a plus sign. @throws TypeError, UnicodeEncodeError */
export function quotePlus(
  v: Value,
  safe: Value | undefined,
  encoding?: Value,
  errors?: Value,
): string {
  return quote(v, `${safeOf(safe, '')} `, encoding, errors).replaceAll(' ', '+');
}

const ESCAPE = /%([0-9a-fA-F]{2})/g;

/**
 * `urllib.parse.unquote`: invalid UTF-8 becomes U+FFFD.
 * @throws UnicodeDecodeError when `errors` is strict
 */
export function unquote(escaped: string, encoding?: Value, errors?: Value): string {
  if (!escaped.includes('%')) return escaped;
  const how = given(errors) ?? 'replace';
  return escaped.replaceAll(/[\0-\x7f]+/g, (run) =>
    decoded(unquotedBytes(run), given(encoding), how),
  );
}

/** The functions of `urllib.parse` that add and remove percent escapes. */
export const quoting: Readonly<Record<string, Value>> = {
  quote: nativeFunction('quote(string, safe=, encoding=, errors=)', quote),
  quote_plus: nativeFunction(
    'quote_plus(string, safe=, encoding=, errors=)',
    (v: Value, safe, encoding, errors) => quotePlus(v, safe, encoding, errors),
  ),
  quote_from_bytes: nativeFunction('quote_from_bytes(bs, safe=)', (v: Value, safe) =>
    quotedBytes(bytesOf(v, 'quote_from_bytes() expected bytes, not').data, safeOf(safe, '/')),
  ),
  unquote: nativeFunction('unquote(string, encoding=, errors=)', unquoteAny),
  unquote_plus: nativeFunction('unquote_plus(string, encoding=, errors=)', (v, encoding, errors) =>
    unquote(stringArgument(v, 'unquote_plus() argument').replaceAll('+', ' '), encoding, errors),
  ),
  unquote_to_bytes: nativeFunction(
    'unquote_to_bytes(string)',
    (v: Value) =>
      new PyBytes(
        v instanceof PyBytes
          ? unquotedBytes(v.latin)
          : unquotedBytes(stringArgument(v, 'unquote_to_bytes() argument')),
      ),
  ),
};

/** `urllib.parse.quote`. @throws TypeError, UnicodeEncodeError */
function quote(
  v: Value,
  safe: Value | undefined,
  encoding: Value | undefined,
  errors: Value | undefined,
): string {
  const own = asText(v);
  if (own === '') return '';
  if (own !== undefined)
    return quotedBytes(encoded(own, given(encoding), given(errors)), safeOf(safe, '/'));
  for (const [name, value] of [
    ['encoding', encoding],
    ['errors', errors],
  ] as const)
    if (given(value) !== undefined)
      raise('TypeError', `quote() doesn't support '${name}' for bytes`);
  return v instanceof PyBytes
    ? quotedBytes(v.data, safeOf(safe, '/'))
    : raise('TypeError', 'quote_from_bytes() expected bytes');
}

/** Bytes as text, with percent escapes for all but safe ASCII characters. */
function quotedBytes(data: Uint8Array, safe: string): string {
  payForText(data.length * 3);
  tick(data.length >> 2);
  return Array.from(data, (byte) => {
    const c = String.fromCharCode(byte);
    return byte < 0x80 && (SAFE.test(c) || safe.includes(c))
      ? c
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** An argument for which None means nothing. */
function given(v: Value | undefined): Value | undefined {
  return v ?? undefined;
}

/** The characters that stay unescaped besides letters, digits and `_.-~`. */
function safeOf(v: Value | undefined, usual: string): string {
  if (v === undefined) return usual;
  if (v instanceof PyBytes) return v.latin;
  return (
    asText(v) ??
    items(v)
      .map((item) => String.fromCharCode(Number(item)))
      .join('')
  );
}

/** The UTF-8 bytes of a text with its escapes decoded. */
function unquotedBytes(escaped: string): Uint8Array {
  payForText(escaped.length);
  if (/^[\0-\x7f]*$/.test(escaped)) {
    const plain = escaped.replaceAll(ESCAPE, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Uint8Array.from(plain, (c) => c.charCodeAt(0));
  }
  const parts = escaped
    .split(/((?:%[0-9a-fA-F]{2})+)/)
    .map((part, i) => (i % 2 === 0 ? utf8(part) : unquotedBytes(part)));
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function unquoteAny(v: Value, encoding: Value | undefined, errors: Value | undefined): string {
  if (v instanceof PyBytes)
    return decoded(unquotedBytes(v.latin), given(encoding), given(errors) ?? 'replace');
  const own = asText(v);
  if (own !== undefined) return unquote(own, encoding, errors);
  return raise(
    'TypeError',
    v instanceof PyObject
      ? 'a text or bytes were expected'
      : `argument of type '${typeName(v)}' is not iterable`,
  );
}
