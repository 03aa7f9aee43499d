/** A piece of a source, and where it begins there. */
export type SourcePiece = { readonly text: string; readonly at: number };

/** A source in Python, or of a cell of IPython, by what is what. */
export type SourceParts = {
  /** without the rest, in lines as before; a string leaves its quotes */
  readonly code: string;
  /** with their quotes */
  readonly strings: readonly SourcePiece[];
  readonly comments: readonly SourcePiece[];
  /** lines of IPython with their `!` or `%` */
  readonly commands: readonly SourcePiece[];
};

/** Takes a source apart; what is no Python is read as far as it can be. */
export function partsOf(source: string): SourceParts {
  const strings: SourcePiece[] = [];
  const comments: SourcePiece[] = [];
  const commands: SourcePiece[] = [];
  let [code, upTo] = ['', 0];
  for (const { 0: text, index: at } of source.matchAll(PIECE)) {
    code += source.slice(upTo, at);
    upTo = at + text.length;
    const first = text[0] ?? '';
    if (first === '#') comments.push({ text, at });
    else if (first === '!' || first === '%') commands.push({ text, at });
    else {
      strings.push({ text, at });
      code += first + first;
    }
    if (text.includes('\n')) code += text.replaceAll(/[^\n]+/g, '');
  }
  code += source.slice(upTo);
  return { code, strings, comments, commands };
}

/** The line of a place in a text; lines count from 1. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** Each takes what follows, ended or not, so that no place is read twice. */
const PIECE = new RegExp(
  [
    '#[^\\n]*',
    `"""[^"\\\\]*(?:(?:\\\\[^]?|"(?!""))[^"\\\\]*)*(?:"""|$)`,
    `'''[^'\\\\]*(?:(?:\\\\[^]?|'(?!''))[^'\\\\]*)*(?:'''|$)`,
    `"(?:[^"\\\\\\n]|\\\\[^]?)*"?`,
    `'(?:[^'\\\\\\n]|\\\\[^]?)*'?`,
    // Python has `!` in `!=` alone.
    '!(?!=)(?:[^\\\\\\n]|\\\\[^]?)*',
    '(?<=(?:^|\\n)[ \\t]*)%%?[A-Za-z][^\\n]*',
  ].join('|'),
  'g',
);
