/** Elements that structure text and tables; they are written without attributes. */
const KEPT = new Set([
  'table',
  'thead',
  'tbody',
  'tfoot',
  'tr',
  'th',
  'td',
  'caption',
  'p',
  'div',
  'span',
  'pre',
  'code',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'sub',
  'sup',
  'small',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
]);
const VOID = new Set(['br', 'hr']);

// One piece of markup. Comments, and elements whose content is not shown, match with their content.
const COMMENT = /<!--[\s\S]*?(?:-->|$)/;
const SWALLOWED =
  /<(script|style|template|noscript|iframe|object|svg|math|title|head)\b[\s\S]*?(?:<\/\1\s*>|$)/;
const TAG = /<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/;
const MARKUP = new RegExp([COMMENT, SWALLOWED, TAG].map(({ source }) => source).join('|'), 'gi');

/**
 * Reduces HTML of unknown origin (`_repr_html_`) to harmless markup: only a few elements stay,
 * without attributes, and every open element is closed, so that the page around it stays whole.
 */
export function sanitise(html: string): string {
  const open: string[] = [];
  let clean = '';
  let end = 0;
  for (const match of html.matchAll(MARKUP)) {
    clean += escapeText(html.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[3]?.toLowerCase();
    if (name === undefined) continue;
    if (VOID.has(name) && match[2] === '') clean += `<${name}>`;
    else if (KEPT.has(name) && match[2] === '') {
      open.push(name);
      clean += `<${name}>`;
    } else if (open.includes(name)) {
      for (let closed = ''; closed !== name;) {
        closed = open.pop() ?? name;
        clean += `</${closed}>`;
      }
    }
  }
  clean += escapeText(html.slice(end));
  return (
    clean +
    open
      .toReversed()
      .map((name) => `</${name}>`)
      .join('')
  );
}

function escapeText(text: string): string {
  return text
    .replaceAll(/&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});)/gi, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
