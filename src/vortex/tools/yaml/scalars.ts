import { withFolds, writeFolds } from './folded.ts';
import { WIDTH } from './page.ts';
import type { Page } from './page.ts';

const BREAKS = '\n\u0085\u2028\u2029';

/**
 * Plain text, folded at single spaces. A word too long for the line gets a line of its own. A key
 * may not fold, and goes there as a whole: ruamel.yaml breaks before such a word, and then cannot
 * read it.
 */
export function writePlain(page: Page, text: string, mayFold: boolean): void {
  if (text === '') return;
  if (!page.isSpaced) page.put(' ');
  page.isSpaced = false;
  page.isIndented = false;
  let before = '';
  for (const [index, run] of runsOf(text).entries()) {
    if (run === ' ' && page.column >= WIDTH && mayFold) {
      newLine(page);
    } else {
      // ruamel.yaml leaves the spaces before such a word at the end of the line; read again,
      // several are one.
      const isLong =
        (mayFold || index === 0) &&
        before.length < 2 &&
        !run.startsWith(' ') &&
        page.column + [...run].length > WIDTH;
      if (isLong && page.column > page.indent) page.line();
      page.put(run);
    }
    before = run.startsWith(' ') ? run : '';
  }
}

export function writeSingleQuoted(page: Page, text: string, mayFold: boolean): void {
  page.sign("'", true);
  let at = 0;
  for (const run of runsOf(text)) {
    const isInside = at !== 0 && at + run.length !== text.length;
    at += run.length;
    if (BREAKS.includes(run.charAt(0))) {
      if (run.startsWith('\n')) page.break();
      breaks(page, run);
      page.line();
    } else if (run === ' ' && page.column > WIDTH && mayFold && isInside) page.line();
    else page.put(run.replaceAll("'", "''"));
  }
  page.sign("'", false);
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '\0': '0',
    '\x07': 'a',
    '\b': 'b',
    '\t': 't',
    '\n': 'n',
    '\v': 'v',
    '\f': 'f',
    '\r': 'r',
    '\x1B': 'e',
    '"': '"',
    '\\': '\\',
    '\u0085': 'N',
    '\u00A0': '_',
    '\u2028': 'L',
    '\u2029': 'P',
  }),
);
const PRINTABLE =
  /^[\x20-\x7E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]$/u;

/** Double quotes, folded beyond the width. A fold that would add a space ends in a backslash. */
export function writeDoubleQuoted(page: Page, text: string, mayFold: boolean): void {
  page.sign('"', true);
  const characters = [...text];
  let start = 0;
  const flush = (end: number): void => {
    if (start < end) page.put(characters.slice(start, end).join(''));
    start = Math.max(start, end);
  };
  for (const [end, character] of characters.entries()) {
    const escape = escaped(character);
    if (escape !== undefined) {
      flush(end);
      page.put(escape);
      start = end + 1;
    }
    const isInside = end > 0 && end < characters.length - 1;
    if (
      !isInside ||
      !(character === ' ' || start >= end) ||
      page.column + (end - start) <= WIDTH ||
      !mayFold
    )
      continue;
    const backslash = isSafeFold(characters, start, end) ? '' : '\\';
    flush(end);
    page.put(backslash);
    newLine(page);
    if (characters[start] !== ' ') continue;
    if (backslash === '') start += 1;
    else page.put('\\');
  }
  flush(characters.length);
  page.sign('"', false);
}

/** A folded block with its original lines, folded again where they are too long. */
export function writeFolded(
  page: Page,
  text: string,
  lines: readonly string[],
  header: string,
): void {
  page.sign(`>${hints(text)}${header}`, true);
  page.break();
  writeFolds(page, withFolds(text, lines));
  page.blockEnds(text, hints(text).endsWith('+'));
}

/** A literal block: the text line by line. */
export function writeLiteral(page: Page, text: string, header: string): void {
  page.sign(`|${hints(text)}${header}`, true);
  page.break();
  for (const run of text.match(/[\n\u0085\u2028\u2029]+|[^\n\u0085\u2028\u2029]+/g) ?? []) {
    if (BREAKS.includes(run.charAt(0))) breaks(page, run);
    else {
      page.line();
      page.put(run);
      page.isSpaced = false;
      page.isIndented = false;
    }
  }
  if (!BREAKS.includes(text.slice(-1))) page.break();
  page.blockEnds(text, hints(text).endsWith('+'));
}

/** The runs of spaces, of line breaks and of everything else, in order. */
function runsOf(text: string): readonly string[] {
  return text.match(/ +|[\n\u0085\u2028\u2029]+|[^ \n\u0085\u2028\u2029]+/g) ?? [];
}

function newLine(page: Page): void {
  page.line();
  page.isSpaced = false;
  page.isIndented = false;
}

function breaks(page: Page, run: string): void {
  for (const character of run) page.break(character === '\n' ? undefined : character);
}

function escaped(character: string): string | undefined {
  if (character !== '"' && character !== '\\' && PRINTABLE.test(character)) return undefined;
  const short = ESCAPES.get(character);
  if (short !== undefined) return `\\${short}`;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/**
 * Whether a fold at this space needs no backslash: one plain word follows up to the next space or
 * break.
 */
function isSafeFold(characters: readonly string[], start: number, end: number): boolean {
  const space = characters.indexOf(' ', end);
  if (space < 0) return false;
  const brk = characters.slice(0, space).indexOf('\n', end);
  const stop = brk < 0 ? space : brk;
  const next = characters[stop + 1];
  if (next === undefined) return false;
  if (characters[stop] === '\n' && next !== ' ') return false;
  const word = characters.slice(end, stop).join('');
  const isDouble = characters[end - 1] === ' ' && characters[end] === ' ';
  return (
    !word.includes('"') &&
    !word.includes("'") &&
    next !== ' ' &&
    next !== '\n' &&
    !isDouble &&
    start !== end
  );
}

/**
 * The signs behind `|` or `>`: an indentation for text that begins with space, and the treatment of
 * its last breaks.
 */
function hints(text: string): string {
  if (text === '') return '';
  const indentation = ` ${BREAKS}`.includes(text.charAt(0)) ? '2' : '';
  if (!BREAKS.includes(text.slice(-1))) return `${indentation}-`;
  return text.length === 1 || BREAKS.includes(text.slice(-2, -1)) ? `${indentation}+` : indentation;
}
