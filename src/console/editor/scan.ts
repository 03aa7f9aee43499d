import {
  afterSpaces,
  innerColumn,
  isGap,
  lineEnd,
  newMap,
  pathOf,
  quoteEnd,
  unquoted,
  type Around,
  type Place,
  type Scan,
} from './around.ts';
import { flowRead } from './flow.ts';

/** A key of a block with its colon. */
const KEY = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'{}[\],#&*!|>%@`].*?) *:(?=\s|$)/;
/** The beginning of a text of several lines. */
const LINES_FOLLOW = /^(?:[&!]\S* +)*[|>][-+\d]* *(?:#.*)?$/;

/**
 * Reads a YAML text as far as it goes, also one that is half typed, which a parser refuses: where
 * the cursor is in it, and if it has comments.
 *
 * @param cursor offset; without one there is no place
 */
export function scanned(text: string, cursor = -1): Pick<Scan, 'place' | 'hasComments'> {
  const scan: Scan = { text, cursor, around: [], place: undefined, hasComments: false };
  for (let at = 0; at <= text.length;) at = lineRead(scan, at);
  return scan;
}

/** @returns where the next line to read begins */
function lineRead(scan: Scan, start: number): number {
  const { text, cursor, around } = scan;
  const end = lineEnd(text, start);
  let at = afterSpaces(text, start);
  if (at >= end) {
    if (start <= cursor && cursor <= end) wordRead(scan, cursor - start, cursor, cursor);
    return end + 1;
  }
  while (text[at] === '-' && isGap(text[at + 1])) {
    itemRead(around, at - start);
    at = afterSpaces(text, at + 1);
  }
  const column = at - start;
  const [whole, key] = KEY.exec(text.slice(at, end)) ?? [];
  if (whole === undefined || key === undefined) return valueRead(scan, at, column);
  const map = mapAt(around, column);
  if (at <= cursor && cursor <= at + key.length)
    scan.place = {
      path: pathOf(around.slice(0, -1)),
      kind: 'key',
      taken: map.keys,
      from: at,
      to: at + key.length,
      column,
    };
  map.key = unquoted(key);
  map.keys.add(map.key);
  return valueRead(scan, afterSpaces(text, at + whole.length), undefined);
}

/** @param column of a word that may be a key; undefined: behind a key on its line */
function valueRead(scan: Scan, at: number, column: number | undefined): number {
  const { text, cursor, around } = scan;
  const end = lineEnd(text, at);
  if (text[at] === '{' || text[at] === '[') {
    const after = flowRead(scan, at);
    const rest = lineEnd(text, after);
    scan.hasComments ||= /(?:^|\s)#/.test(text.slice(after, rest));
    return rest + 1;
  }
  const line = text.slice(at, end);
  if (LINES_FOLLOW.test(line)) {
    scan.hasComments ||= line.includes('#');
    return linesSkipped(scan, end + 1);
  }
  const comment = commentIn(text, at, end);
  scan.hasComments ||= comment < end;
  if (at <= cursor && cursor <= comment) {
    const to = Math.max(cursor, at + text.slice(at, comment).trimEnd().length);
    if (column === undefined)
      scan.place = {
        path: pathOf(around),
        kind: 'value',
        taken: new Set(),
        from: at,
        to,
        column: innerColumn(around),
      };
    else wordRead(scan, column, at, to);
  }
  return end + 1;
}

/** A word that may become a key or a value, or a place where one can begin. */
function wordRead(scan: Scan, column: number, from: number, to: number): void {
  const map = mapAt(scan.around, column);
  const kind: Place['kind'] = map.keys.size === 0 ? 'any' : 'key';
  scan.place = { path: pathOf(scan.around.slice(0, -1)), kind, taken: map.keys, from, to, column };
}

/** The mapping whose keys begin in this column; what is further right is over. */
function mapAt(around: Around[], column: number): ReturnType<typeof newMap> {
  for (let top = around.at(-1); top !== undefined; top = around.at(-1)) {
    if (top.kind === 'map' && top.column === column) return top;
    if (top.column < column) break;
    around.pop();
  }
  const map = newMap(column);
  around.push(map);
  return map;
}

/** A dash: its list may begin in the column of the key that it belongs to. */
function itemRead(around: Around[], column: number): void {
  while (innerColumn(around) > column) around.pop();
  const top = around.at(-1);
  if (top?.kind !== 'list' || top.column !== column) around.push({ kind: 'list', column });
}

/** Skips the lines of a text; an empty line in a column that is too small for it can begin a key. */
function linesSkipped({ text, cursor, around }: Scan, start: number): number {
  const column = innerColumn(around);
  let at = start;
  while (at <= text.length) {
    const end = lineEnd(text, at);
    const word = afterSpaces(text, at);
    const isHere = at <= cursor && cursor <= end && cursor - at <= column;
    if (word < end ? word - at <= column : isHere) return at;
    at = end + 1;
  }
  return at;
}

/** Where a comment begins in a line, or its end. */
function commentIn(text: string, start: number, end: number): number {
  const isQuoted = text[start] === '"' || text[start] === "'";
  const from = isQuoted ? quoteEnd(text, start) : start;
  const found = text.slice(from, end).search(/(?:^|\s)#/);
  return found === -1 ? end : from + found;
}
