/** A piece of a script of Nextflow: a string without its quotes, or text without comments. */
export type Piece = { readonly kind: 'string' | 'code'; readonly text: string };

const TOKEN = /("""|'''|"|')|\/\/|\/\*/g;

/**
 * A script of Nextflow as strings and what is between them. Nobody executes it: it is Groovy, and the
 * client's. The time grows with the text alone.
 */
export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const tries = { left: MOST_TRIES };
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return [...pieces, { kind: 'code', text: text.slice(at) }];
    pieces.push({ kind: 'code', text: text.slice(at, found.index) });
    const [token, quote] = found;
    const start = found.index + token.length;
    const end =
      quote === undefined
        ? endOfComment(text, start, token)
        : endOfString(text, start, quote, tries);
    if (quote === undefined) at = token === '/*' ? end + 2 : end;
    else {
      pieces.push({ kind: 'string', text: text.slice(start, end) });
      // A line of a regular expression may have one quote; the next line is none of it.
      at = text[end] === '\n' ? end : end + quote.length;
    }
  }
}

function endOfComment(text: string, start: number, token: string): number {
  const end = text.indexOf(token === '/*' ? '*/' : '\n', start);
  return end === -1 ? text.length : end;
}

/** Where a string ends; a short one ends with its line at the latest, outside of what it computes. */
function endOfString(text: string, start: number, quote: string, tries: Tries): number {
  const pattern = quote.length === 3 ? new RegExp(`\\\\[^]|${quote}`, 'g') : /\\[^]|["'\n]|\$\{/g;
  pattern.lastIndex = start;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    if (found[0] === quote || found[0] === '\n') return found.index;
    if (found[0] === '${' && quote === '"' && tries.left > 0) {
      const length = lengthOfComputed(text, pattern.lastIndex);
      if (length === 0) tries.left -= 1;
      pattern.lastIndex += length;
    }
  }
  return text.length;
}

/** How often the end of what a string computes may still be looked for in vain. */
type Tries = { left: number };

const MOST_TRIES = 1000;
/** What a string computes has few characters, such as an image by the engine that runs it. */
const LONGEST_COMPUTED = 1000;
const PART = /[^{}'"\\]+|\\[^]|'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"|[{}]/y;

/** The length of `params.image ?: "none" }` behind `${`; 0: nobody sees its end. */
function lengthOfComputed(text: string, start: number): number {
  const part = text.slice(start, start + LONGEST_COMPUTED);
  PART.lastIndex = 0;
  let depth = 1;
  for (let found = PART.exec(part); found !== null; found = PART.exec(part)) {
    if (found[0] === '{') depth += 1;
    if (found[0] === '}') depth -= 1;
    if (depth === 0) return found.index + 1;
  }
  return 0;
}
