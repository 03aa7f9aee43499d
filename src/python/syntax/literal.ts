import type { SourceText } from './source.ts';
import type { Token } from './token.ts';

const HEX = /0[xX](?:_?[0-9a-fA-F])+/y;
const OCTAL = /0[oO](?:_?[0-7])+/y;
const BINARY = /0[bB](?:_?[01])+/y;
const DECIMAL =
  /(?:[0-9](?:_?[0-9])*)?(?:\.(?:[0-9](?:_?[0-9])*)?)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?/y;
const GLUED = /[\p{ID_Start}0-9_]/u;
/** Longest integer literal CPython reads. */
const MAX_DIGITS = 4300;

/** Reads a number: int, float, with base prefixes and underscores. */
export function readNumberToken(source: SourceText): Token {
  const at = source.position();
  const based = source.take(HEX) ?? source.take(OCTAL) ?? source.take(BINARY);
  const text = (based ?? source.take(DECIMAL) ?? '').replaceAll('_', '');
  const next = source.peek();
  if (/[jJ]/.test(next)) source.fail('complex numbers are not supported', at);
  if (
    GLUED.test(next) &&
    !/^(?:and|else|for|if|in|is|not|or)\b/.test(source.text.slice(source.at, source.at + 5))
  ) {
    source.fail('invalid decimal literal', at);
  }
  const isFloat = based === undefined && /[.eE]/.test(text);
  if (isFloat) return { kind: 'number', value: Number(text), isFloat, at };
  if (text.length > MAX_DIGITS)
    source.fail(`Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`, at);
  if (based === undefined && /^0+[1-9]/.test(text)) {
    source.fail(
      'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
      at,
    );
  }
  const value = BigInt(text);
  return { kind: 'number', value: value <= 9007199254740991n ? Number(value) : value, isFloat, at };
}

const SIMPLE: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const WIDTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const OCTAL_DIGITS = /[0-7]{1,3}/y;

/**
 * Reads the rest of an escape after its backslash, and returns its meaning. Unknown escapes stay.
 */
export function readEscape(source: SourceText): string {
  const at = source.position();
  const octal = source.take(OCTAL_DIGITS);
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  const letter = source.peek();
  source.at += 1;
  const simple = SIMPLE[letter];
  if (simple !== undefined) return simple;
  if (letter === 'N') source.fail('named characters (\\N{...}) are not supported', at);
  const width = WIDTHS[letter];
  if (width === undefined) return `\\${letter}`;
  const digits = source.text.slice(source.at, source.at + width);
  const point = Number.parseInt(digits, 16);
  if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < width || point > 0x10ffff) {
    source.fail(
      `(unicode error) 'unicodeescape' codec can't decode bytes: truncated \\${letter} escape`,
      at,
    );
  }
  source.at += width;
  return String.fromCodePoint(point);
}
