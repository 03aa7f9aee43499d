import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { expanded } from '../builtins/letters.ts';
import { codePoints } from '../objects/protocol.ts';
import { SPACES } from '../text/characters.ts';

/** How to break a text into lines. Widths count characters. */
export type Wrapping = {
  readonly width: number;
  readonly first: string;
  readonly others: string;
  readonly expandsTabs: boolean;
  readonly replacesSpace: boolean;
  readonly fixesSentences: boolean;
  readonly breaksWords: boolean;
  readonly dropsSpace: boolean;
  readonly breaksAtHyphens: boolean;
  readonly tabSize: number;
  readonly maxLines: number | undefined;
  readonly placeholder: string;
};

const WORD = '[\\p{L}\\p{N}_]';
const LETTER = '(?:(?!\\p{Nd})[\\p{L}\\p{N}_])';
const MARK = `[\\p{L}\\p{N}_!"'&.,?]`;
const SPACE = '[\\t\\n\\v\\f\\r ]';
/**
 * A piece after which a line may end: white space, a dash, or a word up to a hyphen between
 * letters, a dash or a space.
 */
const PIECE = new RegExp(
  `${SPACE}+` +
    `|(?<=${MARK})-{2,}(?=${WORD})` +
    `|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${MARK}-))(?=${LETTER}-?${LETTER})` +
    `|(?=${SPACE}|$)|(?<=${MARK})(?=-{2,}${WORD}))`,
  'gu',
);
const SPACE_OR_WORD = /[\t\n\v\f\r ]+|[^\t\n\v\f\r ]+/g;
const SENTENCE_END = /[a-z][.!?]["']?$/;
const BLANK = new RegExp(`^[${SPACES}]*$`, 'u');
const LEADING = new RegExp(`^[${SPACES}]+`, 'u');

/**
 * The lines of a text, within the width where words allow it.
 * @throws ValueError for a width or a placeholder that leaves no room
 */
export function wrapped(text: string, how: Wrapping): string[] {
  const words = pieces(text, how).reverse();
  if (how.width <= 0) raise('ValueError', `invalid width ${how.width} (must be > 0)`);
  if (how.maxLines !== undefined) {
    const indent = how.maxLines > 1 ? how.others : how.first;
    const room = codePoints(indent) + codePoints(how.placeholder.replace(LEADING, ''));
    if (room > how.width) raise('ValueError', 'placeholder too large for max width');
  }
  const lines: string[] = [];
  while (words.length > 0) {
    const line = nextLine(words, lines, how);
    if (line === undefined) continue;
    lines.push(line.text);
    if (line.isLast) break;
  }
  return lines;
}

type Line = { readonly text: string; readonly isLast: boolean };

function pieces(text: string, how: Wrapping): string[] {
  const tabless = how.expandsTabs ? expanded(text, how.tabSize) : text;
  const plain = how.replacesSpace ? tabless.replaceAll(/[\t\n\v\f\r ]/g, ' ') : tabless;
  tick(plain.length);
  const found: string[] = plain.match(how.breaksAtHyphens ? PIECE : SPACE_OR_WORD) ?? [];
  if (!how.fixesSentences) return found;
  for (let i = 0; i < found.length - 1; i += 1)
    if (found[i + 1] === ' ' && SENTENCE_END.test(found[i] ?? '')) {
      found[i + 1] = '  ';
      i += 1;
    }
  return found;
}

/** Takes the words of one line off the end of `words`; `undefined` when none of them is visible. */
function nextLine(words: string[], before: string[], how: Wrapping): Line | undefined {
  const indent = before.length > 0 ? how.others : how.first;
  const width = how.width - codePoints(indent);
  const isBlank = (word: string | undefined): boolean =>
    how.dropsSpace && word !== undefined && BLANK.test(word);
  if (before.length > 0 && isBlank(words.at(-1))) words.pop();
  const taken: string[] = [];
  let length = 0;
  for (
    let word = words.at(-1);
    word !== undefined && length + codePoints(word) <= width;
    word = words.at(-1)
  ) {
    tick(1);
    length += codePoints(word);
    taken.push(word);
    words.pop();
  }
  const next = words.at(-1);
  if (next !== undefined && codePoints(next) > width) {
    breakWord(words, next, taken, width - length, how, width);
    length = taken.reduce((sum, word) => sum + codePoints(word), 0);
  }
  if (isBlank(taken.at(-1))) length -= codePoints(taken.pop() ?? '');
  if (taken.length === 0) return undefined;
  const isRest = words.length === 0 || (how.dropsSpace && words.length === 1 && isBlank(words[0]));
  if (how.maxLines === undefined || before.length + 1 < how.maxLines || (isRest && length <= width))
    return { text: indent + taken.join(''), isLast: false };
  return { text: cut(taken, length, width, indent, before, how), isLast: true };
}

/** Breaks a word that is wider than a line, or keeps it whole where words must not be broken. */
function breakWord(
  words: string[],
  word: string,
  taken: string[],
  left: number,
  how: Wrapping,
  width: number,
): void {
  const room = width < 1 ? 1 : left;
  if (!how.breaksWords) {
    if (taken.length === 0) taken.push(words.pop() ?? '');
    return;
  }
  const characters = Array.from(word);
  let end = room;
  if (how.breaksAtHyphens && characters.length > room) {
    const hyphen = characters.slice(0, Math.max(0, room)).lastIndexOf('-');
    if (hyphen > 0 && characters.slice(0, hyphen).some((c) => c !== '-')) end = hyphen + 1;
  }
  tick(characters.length >> 2);
  taken.push(characters.slice(0, end).join(''));
  words[words.length - 1] = characters.slice(end).join('');
}

/** The last line that the limit allows, with the placeholder after the words that fit. */
function cut(
  taken: string[],
  length: number,
  width: number,
  indent: string,
  before: string[],
  how: Wrapping,
): string {
  const room = width - codePoints(how.placeholder);
  let rest = length;
  for (let word = taken.at(-1); word !== undefined; word = taken.at(-1)) {
    if (!BLANK.test(word) && rest <= room) return indent + taken.join('') + how.placeholder;
    rest -= codePoints(word);
    taken.pop();
  }
  const last = before.at(-1)?.replace(new RegExp(`[${SPACES}]+$`, 'u'), '');
  if (last !== undefined && codePoints(last) + codePoints(how.placeholder) <= how.width) {
    before.pop();
    return last + how.placeholder;
  }
  return indent + how.placeholder.replace(LEADING, '');
}
