/** A piece of a script of Nextflow: a string without its quotes, or text without comments. */
export type Piece = { readonly kind: 'string' | 'code'; readonly text: string };

const TOKEN = /("""|'''|"|')|\/\/|\/\*/g;

/**
 * A script of Nextflow as strings and what is between them. Nobody executes it: it is Groovy, and the
 * client's. The time grows with the text alone.
 */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return [...pieces, { kind: 'code', text: text.slice(at) }];
    pieces.push({ kind: 'code', text: text.slice(at, found.index) });
    const [token, quote] = found;
    const start = found.index + token.length;
    const end =
      quote === undefined ? endOfComment(text, start, token) : endOfString(text, start, quote);
    if (quote === undefined) at = token === '/*' ? end + 2 : end;
    else {
      pieces.push({ kind: 'string', text: text.slice(start, end) });
      at = end + quote.length;
    }
  }
}

function endOfComment(text: string, start: number, token: string): number {
  const end = text.indexOf(token === '/*' ? '*/' : '\n', start);
  return end === -1 ? text.length : end;
}

/** Where a string ends; a short one ends with its line at the latest. */
function endOfString(text: string, start: number, quote: string): number {
  const pattern = quote.length === 3 ? new RegExp(`\\\\[^]|${quote}`, 'g') : /\\[^]|["'\n]/g;
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    if (found[0] === quote || found[0] === '\n') return found.index;
  return text.length;
}
