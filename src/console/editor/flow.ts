import {
  innerColumn,
  lineEnd,
  newMap,
  pathOf,
  unquoted,
  type Around,
  type Place,
  type Scan,
} from './around.ts';

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\n]|'')*'?`;
/** Something else than a mark; a colon within a word is none. */
const IN_WORD = String.raw`[^\s,[\]{}:]|:(?=[^\s,[\]{}])`;
/**
 * A part of what is between braces: in quotes, comment, mark, colon that ends a key (a gap follows,
 * or a quote is before it, as in JSON), spaces, or a word.
 */
const TOKEN = new RegExp(
  String.raw`${QUOTED}|#[^\n]*\n?|[{}[\],\n]|:(?=[\s,[\]{}]|$)|(?<="):|[^\S\n]+|(?:${IN_WORD})+`,
  'y',
);
/** Words with what is between them, up to the next mark. */
const WORDS = new RegExp(String.raw`${QUOTED}|(?:${IN_WORD}|[^\S\n])*`, 'y');

/**
 * Reads what is between braces or brackets, JSON too. Where the closing one is missing, it ends
 * before the first line that is indented too little for it.
 *
 * @returns the offset behind it
 */
export function flowRead(scan: Scan, start: number): number {
  const { text, cursor, around } = scan;
  const depth = around.length;
  const column = innerColumn(around);
  let begin: number | undefined;
  let at = start;
  while (at < text.length) {
    const token = matchAt(TOKEN, text, at);
    const end = at + token.length;
    if (at === cursor && at > start) scan.place = placeAt(scan, begin ?? at);
    if (token.startsWith('#')) scan.hasComments = true;
    else if (/^[{}[\],:]$/.test(token)) {
      marked(around, token, column, text.slice(begin ?? at, at));
      begin = undefined;
      if (around.length <= depth) return end;
    } else if (/\S/.test(token)) {
      begin ??= at;
      if (at < cursor && cursor < end) scan.place = placeAt(scan, begin);
    }
    at = end;
    if (token.endsWith('\n') && isOutside(text, at, column)) {
      around.length = depth;
      return at - 1;
    }
  }
  if (at === cursor) scan.place = placeAt(scan, begin ?? at);
  around.length = depth;
  return at;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function marked(around: Around[], mark: string, column: number, before: string): void {
  const top = around.at(-1);
  if (mark === '{') around.push(newMap(column));
  else if (mark === '[') around.push({ kind: 'list', column });
  else if (mark === '}' || mark === ']') around.pop();
  else if (top?.kind !== 'map') return;
  else {
    top.key = mark === ':' ? unquoted(before) : '';
    if (mark === ':') top.keys.add(top.key);
  }
}

function placeAt({ text, cursor, around }: Scan, from: number): Place {
  const top = around.at(-1);
  const isKey = top?.kind === 'map' && top.key === '';
  return {
    path: pathOf(isKey ? around.slice(0, -1) : around),
    kind: isKey ? 'key' : 'value',
    taken: isKey ? top.keys : new Set(),
    from,
    to: Math.max(cursor, from + matchAt(WORDS, text, from).trimEnd().length),
    column: undefined,
  };
}

/** A line that cannot belong to a part within this column; closing braces may. */
function isOutside(text: string, at: number, column: number): boolean {
  const line = text.slice(at, lineEnd(text, at));
  const indent = line.search(/\S/);
  return indent >= 0 && indent <= column && !/[\]}]/.test(line.charAt(indent));
}
