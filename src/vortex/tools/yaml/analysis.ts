/** The styles that the text of a scalar allows: YAML's rules as ruamel.yaml applies them. */
type Analysis = {
  readonly isMultiline: boolean;
  readonly allowsFlowPlain: boolean;
  readonly allowsBlockPlain: boolean;
  readonly allowsSingleQuoted: boolean;
};

const BREAK = '\n\u0085\u2028\u2029';
const SPACES = `\0 \t\r${BREAK}`;
/**
 * Characters that only double quotes can hold: control characters, lone surrogates, the byte order
 * mark.
 */
const SPECIAL = /[^\n\x20-\x7E\u0085\u00A0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u;

export function analyze(text: string): Analysis {
  if (text === '') {
    return {
      isMultiline: false,
      allowsFlowPlain: false,
      allowsBlockPlain: true,
      allowsSingleQuoted: true,
    };
  }
  const isSpecial = SPECIAL.test(text);
  const isMultiline = /[\n\u0085\u2028\u2029]/.test(text);
  const isEdged = /^[ \n\u0085\u2028\u2029]|[ \n\u0085\u2028\u2029]$/.test(text);
  const isBreakSpace = /[\n\u0085\u2028\u2029] /.test(text);
  const isSpaceBreak = / [\n\u0085\u2028\u2029]/.test(text);
  const { flow, block } = indicators(text);
  const isPlain = !isEdged && !isBreakSpace && !isSpecial && !isSpaceBreak && !isMultiline;
  return {
    isMultiline,
    allowsFlowPlain: isPlain && !flow,
    allowsBlockPlain: isPlain && !block,
    allowsSingleQuoted: !isBreakSpace && !isSpecial && !isSpaceBreak,
  };
}

/**
 * Whether characters with a meaning in YAML forbid the plain style, inside flow collections and
 * outside.
 */
function indicators(text: string): { readonly flow: boolean; readonly block: boolean } {
  const isLoneStart = text.length === 1 || SPACES.includes(text.charAt(1));
  const first = text.charAt(0);
  const both =
    /^(?:---|\.\.\.)/.test(text) ||
    '#,[]{}&*!|>\'"%@`'.includes(first) ||
    (first === '-' && isLoneStart) ||
    [...text.matchAll(/:/g)].some(({ index }) => index > 0 && isSpaceAt(text, index + 1)) ||
    [...text.matchAll(/#/g)].some(({ index }) => index > 0 && isSpaceAt(text, index - 1));
  const isKey = first === '?' || first === ':';
  return {
    block: both || (isKey && isLoneStart),
    flow: both || (isKey && text.length === 1) || /[,[\]{}]/.test(text.slice(1)),
  };
}

function isSpaceAt(text: string, index: number): boolean {
  return index >= text.length || SPACES.includes(text.charAt(index));
}
