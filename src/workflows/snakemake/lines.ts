/** A line of a Snakefile that is neither blank nor inside of a string. */
export type Line = {
  /** columns before its first word; a tab goes to the next multiple of 8 */
  readonly indent: number;
  /** its text without comment, each string as `''` */
  readonly code: string;
  /** what its strings contain, as written */
  readonly strings: readonly string[];
};

const TOKEN = /("""|'''|"|')|#|\n/g;

/**
 * A Snakefile as lines. Nobody executes it: a Snakefile is Python, and the client's. A string over
 * several lines belongs to the line in which it begins. The time grows with the text alone.
 */
export function snakefileLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  let code = '';
  let strings: string[] = [];
  const endLine = (): void => {
    if (code.trim() !== '') lines.push({ indent: indentOf(code), code: code.trim(), strings });
    code = '';
    strings = [];
  };
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) break;
    const [token, quote] = found;
    const joint = token === '\n' ? backslashBefore(text, found.index, at) : undefined;
    code += text.slice(at, joint ?? found.index);
    if (quote !== undefined) {
      const end = endOfString(text, found.index + quote.length, quote);
      strings.push(text.slice(found.index + quote.length, end));
      code += `''`;
      at = end + quote.length;
    } else {
      const end = token === '#' ? endOf(text.indexOf('\n', found.index), text) : found.index;
      if (joint === undefined) endLine();
      else code += ' ';
      at = end + 1;
    }
  }
  if (at < text.length) code += text.slice(at);
  endLine();
  return lines;
}

/** Where a string ends; a short one ends with its line at the latest. */
function endOfString(text: string, start: number, quote: string): number {
  const pattern = quote.length === 3 ? new RegExp(`\\\\[^]|${quote}`, 'g') : /\\[^]|["'\n]/g;
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    if (found[0] === quote || found[0] === '\n') return found.index;
  return text.length;
}

/** The place of a backslash that joins a line with the next one; undefined: there is none. */
function backslashBefore(text: string, end: number, start: number): number | undefined {
  const at = text[end - 1] === '\r' ? end - 2 : end - 1;
  return at >= start && text[at] === '\\' ? at : undefined;
}

function endOf(index: number, text: string): number {
  return index === -1 ? text.length : index;
}

function indentOf(code: string): number {
  let column = 0;
  for (const character of code) {
    if (character === '\t') column += 8 - (column % 8);
    else if (character === ' ') column += 1;
    else break;
  }
  return column;
}
