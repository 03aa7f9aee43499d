import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import type { Value } from '../../objects/object.ts';
import { asciiDigits } from '../../text/ascii-digits.ts';
import { repr } from '../../text/repr.ts';
import { invalidPattern } from './error.ts';
import type { Match, Pattern } from './compiled-pattern.ts';
import { templateTokens } from './template-tokens.ts';
import type { TemplateTokens } from './template-tokens.ts';

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
  b: '\b',
  '\\': '\\',
};
const OCTAL = /^[0-7]$/;
const DIGIT = /^[0-9]$/;
const NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
const NUMBER = /^\s*[+-]?[0-9]+(?:_[0-9]+)*\s*$/u;
/** More groups than any pattern has. */
const MOST_GROUPS = 2 ** 30;

/** A literal text, or the number of a group. */
type Piece = string | number;

/**
 * The replacement text of `re.sub` and `expand`, parsed for a pattern: texts, and groups for `\1`
 * and `\g<name>`.
 * @throws re.error for a malformed template and an unknown group number; IndexError for an unknown
 * name
 */
export function parseTemplate(template: string, pattern: Pattern): readonly Piece[] {
  if (!template.includes('\\')) return [template];
  tick(template.length >> 4);
  const tokens = templateTokens(template);
  const pieces: Piece[] = [];
  for (let token = tokens.take(); token !== undefined; token = tokens.take()) {
    const piece = token.startsWith('\\') ? escaped(token, tokens, pattern) : token;
    const last = pieces.at(-1);
    if (typeof piece === 'string' && typeof last === 'string')
      pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
  }
  return pieces;
}

/** The text of a template for one match; an unmatched group is empty. */
export function filledTemplate(pieces: readonly Piece[], match: Match): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : textOf(match.group(piece))))
    .join('');
}

function escaped(token: string, tokens: TemplateTokens, pattern: Pattern): Piece {
  const c = token.slice(1);
  if (c === 'g') return named(tokens, pattern);
  if (c === '0')
    return String.fromCharCode(Number.parseInt(c + tokens.takeIf(OCTAL) + tokens.takeIf(OCTAL), 8));
  if (DIGIT.test(c)) return numbered(c, tokens, pattern);
  return (
    CONTROLS[c] ??
    (/^[A-Za-z]$/.test(c) ? fail(tokens, `bad escape ${token}`, token.length) : token)
  );
}

/** `\g<name>` and `\g<1>`. */
function named(tokens: TemplateTokens, pattern: Pattern): Piece {
  if (tokens.takeIf(/^<$/) === '') fail(tokens, 'missing <', 0);
  let name = '';
  for (let c = tokens.take(); c !== '>'; c = tokens.take()) {
    if (c === undefined)
      return fail(
        tokens,
        name === '' ? 'missing group name' : 'missing >, unterminated name',
        name.length,
      );
    name += c;
  }
  if (name === '') fail(tokens, 'missing group name', 1);
  if (NAME.test(name)) {
    const group =
      pattern.translated.groups.get(name) ??
      raise('IndexError', `unknown group name ${repr(name)}`);
    return checked(group, tokens, pattern, name.length + 1);
  }
  const digits = asciiDigits(name);
  const number = NUMBER.test(digits) ? Number(digits.replaceAll('_', '')) : -1;
  return number < 0 || number >= MOST_GROUPS
    ? fail(
        tokens,
        number < 0
          ? `bad character in group name ${repr(name)}`
          : `invalid group reference ${number}`,
        name.length + 1,
      )
    : checked(number + 0, tokens, pattern, name.length + 1);
}

/** @throws re.error at a place `back` characters before the next token */
function fail(tokens: TemplateTokens, message: string, back: number): never {
  throw invalidPattern(message, tokens.text, tokens.place - back);
}

function checked(group: number, tokens: TemplateTokens, pattern: Pattern, back: number): number {
  return group > pattern.translated.count
    ? fail(tokens, `invalid group reference ${group}`, back)
    : group;
}

/** `\12` is a group, `\123` an octal character. */
function numbered(first: string, tokens: TemplateTokens, pattern: Pattern): Piece {
  const digits = first + tokens.takeIf(DIGIT);
  const third = /^[0-7]{2}$/.test(digits) ? tokens.takeIf(OCTAL) : '';
  if (third === '') return checked(Number(digits), tokens, pattern, digits.length);
  const code = Number.parseInt(digits + third, 8);
  return code > 0o377
    ? fail(tokens, `octal escape value \\${digits}${third} outside of range 0-0o377`, 4)
    : String.fromCharCode(code);
}

function textOf(group: Value): string {
  return typeof group === 'string' ? group : '';
}
