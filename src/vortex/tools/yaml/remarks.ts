import type { LineTable } from '../../../yaml/lines.ts';
import type { Comment } from './document.ts';

/**
 * A text, and the places in the file of its offsets; lines of the file may have less indentation.
 */
export type RemarkSource = { readonly text: string; readonly position: LineTable };

/**
 * The space between a token and the next one, which begins at `next`: the comment of the token, and
 * those for what follows.
 */
export type Gap = {
  readonly post: Comment | undefined;
  readonly pre: readonly Comment[];
  readonly next: number;
  /** Whether ruamel.yaml reads empty lines behind the scalar as part of it. */
  readonly isScalars?: boolean;
};

/**
 * The kind of token before the gap. A scalar takes all comments; `:`, `]` and `}` take only a
 * comment on their line.
 */
export type Before = 'plain' | 'quoted' | 'closing' | 'other';

/** A comment with the empty lines behind it, or a run of empty lines; `start` is its offset. */
type Remark = { readonly text: string; readonly start: number; readonly column: number };

/** The gap behind a token that ends before `end`. */
export function gapAfter(source: RemarkSource, end: number, before: Before): Gap {
  const { text } = source;
  const blank = before === 'plain' ? emptyLines(text, end) : { count: 0, end };
  const { remarks, next } = remarksFrom(source, blank.end);
  const [first] = remarks;
  const isHung =
    before === 'plain' ||
    before === 'quoted' ||
    (before === 'closing' && isOnLine(text, end, first));
  if (!isHung) return { post: undefined, pre: remarks.map(alone), next };
  if (first !== undefined) return { post: hung(text, end, remarks), pre: [], next };
  const post = blank.count > 0 ? { text: '\n'.repeat(blank.count + 1), column: 0 } : undefined;
  return { post, pre: [], next, isScalars: true };
}

/**
 * The gap behind a block of text with its `|` or `>` at `start`, and the comment on that line.
 * `indent` is that of its lines; undefined when it has none.
 */
export function gapAfterBlock(
  source: RemarkSource,
  start: number,
  indent: number | undefined,
): Gap & { header?: Comment } {
  const { text } = source;
  const line = /[|>]([-+0-9]*)( *#[^\n]*)?/y;
  line.lastIndex = start;
  const [, signs = '', comment] = line.exec(text) ?? [];
  const header =
    comment === undefined ? {} : { header: { text: comment, column: 0, isHeader: true as const } };
  const { breaks, end } = endOfBlock(text, lineAfter(text, start), indent);
  const { remarks, next } = remarksFrom(source, end);
  if (breaks > 0 && !signs.includes('+')) {
    const rest = remarks.map((one) => ' '.repeat(one.column) + one.text).join('');
    return {
      ...header,
      post: { text: '\n'.repeat(breaks) + rest, column: 0 },
      pre: [],
      next,
      isScalars: true,
    };
  }
  return {
    ...header,
    post: remarks.length > 0 ? hung(text, end, remarks) : undefined,
    pre: [],
    next,
  };
}

/** The column in the file, from 0, in characters as Python counts them. */
export function columnAt({ text, position }: RemarkSource, offset: number): number {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return [...line].length - line.length + position(offset).column - 1;
}

/** Behind a plain scalar, lines of spaces count as empty up to the first comment. */
function emptyLines(text: string, from: number): { count: number; end: number } {
  const run = /[ ]*\n[ \n]*/y;
  run.lastIndex = from;
  const found = run.exec(text)?.[0];
  if (found === undefined) return { count: 0, end: from };
  const end = from + found.length;
  const isEndOfDocument =
    text.charAt(end - 1) === '\n' && /^(?:---|\.\.\.)(?:\s|$)/.test(text.slice(end, end + 4));
  return { count: isEndOfDocument ? 0 : found.split('\n').length - 2, end };
}

/**
 * The remarks from an offset on. ruamel.yaml skips lines of spaces, unless an empty line comes
 * before them.
 */
function remarksFrom(
  source: RemarkSource,
  from: number,
): { remarks: readonly Remark[]; next: number } {
  const { text } = source;
  const remarks: Remark[] = [];
  const add = (shown: string, start: number): number =>
    remarks.push({ text: shown, start, column: columnAt(source, start) });
  const remark = /[ \t]*(?:(#[^\n]*(?:\n+|$))|\n(?!\n)|\n(\n[ \t\n]*))/y;
  for (let at = from; ; at = remark.lastIndex) {
    remark.lastIndex = at;
    const found = remark.exec(text);
    if (found === null) return { remarks, next: afterSpaces(text, at) };
    const [, comment, empty] = found;
    const end = remark.lastIndex;
    if (comment !== undefined) {
      add(comment.endsWith('\n') ? comment : `${comment}\n`, end - comment.length);
    } else if (empty !== undefined) {
      const lines = text.charAt(end) === '#' ? empty.slice(0, empty.lastIndexOf('\n') + 1) : empty;
      add(lines, end - empty.length);
    }
  }
}

function afterSpaces(text: string, at: number): number {
  const spaces = /[ \t]*/y;
  spaces.lastIndex = at;
  return at + (spaces.exec(text)?.[0].length ?? 0);
}

function isOnLine(text: string, end: number, remark: Remark | undefined): boolean {
  return remark !== undefined && !text.slice(end, remark.start).includes('\n');
}

function alone({ text, column }: Remark): Comment {
  return { text: trimmed(text), column };
}

function trimmed(text: string): string {
  return text.replace(/ +$/, '');
}

/** All remarks in one comment, in their order. */
function hung(text: string, end: number, [first, ...rest]: readonly Remark[]): Comment | undefined {
  if (first === undefined) return undefined;
  const { column } = first;
  const lines = text.slice(end, first.start).split('\n').length - 1;
  const lead = lines === 0 ? '' : '\n'.repeat(lines) + ' '.repeat(column);
  const more = rest.map((one) => ' '.repeat(one.column) + trimmed(one.text)).join('');
  return { text: lead + trimmed(first.text) + more, column };
}

/** The end of the lines of a block, and the number of empty lines behind them. */
function endOfBlock(
  text: string,
  from: number,
  indent: number | undefined,
): { breaks: number; end: number } {
  const empty = indent === undefined ? /(?: *\n)*/y : new RegExp(`(?: {0,${indent}}\\n)*`, 'y');
  for (let at = from; ;) {
    empty.lastIndex = at;
    const run = empty.exec(text)?.[0] ?? '';
    const end = at + run.length;
    const isText =
      indent !== undefined &&
      end + indent < text.length &&
      text.startsWith(' '.repeat(indent), end);
    if (!isText) return { breaks: run.split('\n').length - 1, end };
    at = lineAfter(text, end);
  }
}

function lineAfter(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline < 0 ? text.length : newline + 1;
}
