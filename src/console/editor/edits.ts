/** A change of a text: what replaces the part between two offsets, and what is selected then. */
export type TextEdit = {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
};

const STEP = 2;

/** Spaces up to the next step, or before each selected line. */
export function indented(text: string, start: number, end: number): TextEdit {
  if (start === end) {
    const from = lineStart(text, start);
    const spaces = ' '.repeat(STEP - ((start - from) % STEP));
    const after = start + spaces.length;
    return { from: start, to: end, text: spaces, start: after, end: after };
  }
  return withLines(text, start, end, (line) => (line === '' ? '' : ' '.repeat(STEP) + line));
}

/** Takes a step of spaces from the line, or from each selected one. */
export function outdented(text: string, start: number, end: number): TextEdit {
  return withLines(text, start, end, (line) => line.replace(/^ {1,2}/, ''));
}

/** A new line below the beginning of this one, or further right where a block begins. */
export function newLine(text: string, start: number, end: number): TextEdit {
  const line = text.slice(lineStart(text, start), start);
  const [, spaces = '', dashes = '', rest = ''] = /^( *)((?:- +)*)(.*)$/.exec(line) ?? [];
  const isKey = /:(?:\s|$)/.test(rest);
  const opens = /:(?: +[|>][-+\d]*)? *$/.test(rest);
  const width = spaces.length + (isKey ? dashes.length : 0) + (opens ? STEP : 0);
  const after = start + 1 + width;
  return { from: start, to: end, text: `\n${' '.repeat(width)}`, start: after, end: after };
}

function withLines(
  text: string,
  start: number,
  end: number,
  change: (line: string) => string,
): TextEdit {
  const from = lineStart(text, start);
  // A selection that ends before the first character of a line does not mean that line.
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
  const found = text.indexOf('\n', last);
  const to = found === -1 ? text.length : found;
  const lines = text.slice(from, to).split('\n');
  const changed = lines.map(change);
  const [first = ''] = lines;
  const more = (changed[0]?.length ?? 0) - first.length;
  const all = changed.join('\n');
  const grown = all.length - (to - from);
  return {
    from,
    to,
    text: all,
    start: Math.max(from, start + more),
    end: Math.max(from, start === end ? start + more : end + grown),
  };
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}
