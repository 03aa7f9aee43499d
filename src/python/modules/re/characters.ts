import { bad } from './error.ts';

/** A character of a pattern: its number, and where the text goes on. */
type Read = { readonly code: number; readonly end: number };

const SYNTAX = /[\\^$.*+?()[\]{}|/-]/;
const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  v: '\v',
  a: '\u0007',
};
const WIDTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A literal character; `-` may be escaped only in a set, so it is literalOf by number. */
export function plain(c: string): string {
  return c === '-' ? '\\u{2d}' : SYNTAX.test(c) ? `\\${c}` : c;
}

/** A literal character by its number. */
export function literalOf(code: number): string {
  return code < 0x20 || code > 0x7e
    ? `\\u{${code.toString(16)}}`
    : plain(String.fromCodePoint(code));
}

export function characterAt(text: string, at: number): string {
  return at < text.length ? String.fromCodePoint(text.codePointAt(at) ?? 0) : '';
}

/**
 * Reads the escape at `at` that stands for one character, inside or outside a set.
 * @throws PatternProblem
 */
export function escapedCharacter(text: string, at: number): Read {
  const c = characterAt(text, at + 1);
  if (c === '') bad('bad escape (end of pattern)', at);
  const end = at + 1 + c.length;
  const control = CONTROLS[c];
  if (control !== undefined) return { code: control.charCodeAt(0), end };
  const width = WIDTHS[c];
  if (width !== undefined) return hexadecimal(text, at, width);
  if (/[0-7]/.test(c)) return octal(text, at);
  if (/[A-Za-z0-9]/.test(c)) bad(`bad escape \\${c}`, at);
  return { code: c.codePointAt(0) ?? 0, end };
}

function hexadecimal(text: string, at: number, width: number): Read {
  const from = at + 2;
  const [digits = ''] = /^[0-9a-fA-F]*/.exec(text.slice(from, from + width)) ?? [];
  const escape = text.slice(at, from + digits.length);
  if (digits.length < width) bad(`incomplete escape ${escape}`, at);
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff) bad(`bad escape ${escape}`, at);
  return { code, end: from + width };
}

function octal(text: string, at: number): Read {
  const [digits = ''] = /^[0-7]{1,3}/.exec(text.slice(at + 1, at + 4)) ?? [];
  const code = Number.parseInt(digits, 8);
  if (code > 0o377) bad(`octal escape value \\${digits} outside of range 0-0o377`, at);
  return { code, end: at + 1 + digits.length };
}
