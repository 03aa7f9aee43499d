import { hash } from 'node:crypto';
import { escapeAttribute, escapeText } from '../../xml/escape.ts';
import { element, type XmlElement, type XmlNode } from './xml.ts';

const VOID = new Set(['meta', 'input', 'br', 'link']);

const STYLE = `:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem}
h1{overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
caption{text-align:left;font-weight:bold;padding:1.25rem 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;\
border-bottom:1px solid #8886;overflow-wrap:anywhere}
th[scope=row]{width:14rem;font-weight:normal;color:#555;color:light-dark(#555,#bbb)}
td{min-width:8rem}
td:first-child a{white-space:nowrap}
form{display:inline-block;margin:0 .5rem .5rem 0}
fieldset{border:1px solid #8886}
label{margin-right:1rem}
button,select,input{font:inherit;padding:.3rem .7rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:.25rem solid #c33;padding-left:.75rem}
.phase{font-weight:bold}
@media(max-width:40rem){th[scope=row]{width:7rem;min-width:7rem}td:first-child a{white-space:normal}}`;

/**
 * Allows only the page's own style and forms, so that text of a client cannot run or load anything.
 */
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; ` +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/** A page as its beginning and its end; the caller may print the parts in between one by one. */
export function openPage(title: string): { readonly head: string; readonly tail: string } {
  return {
    head:
      '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">' +
      '<meta name="viewport" content="width=device-width,initial-scale=1">' +
      `<title>${escapeText(title)}</title><style>${STYLE}</style></head>` +
      `<body><main><h1>${escapeText(title)}</h1>\n`,
    tail: '</main></body></html>\n',
  };
}

export function printPage(title: string, ...parts: readonly XmlElement[]): string {
  const { head, tail } = openPage(title);
  return `${head}${parts.map(printPart).join('')}${tail}`;
}

/** Prints a part of a page, with a line end. */
export function printPart(part: XmlElement): string {
  return `${printHtml(part)}\n`;
}

export function link(href: string, text: string): XmlElement {
  return element('a', { href }, text);
}

/** Names and values as a table with row headings; leaves empty values out. */
export function facts(
  caption: string,
  rows: readonly (readonly [name: string, value: XmlNode | null])[],
): XmlElement {
  return element(
    'table',
    {},
    element('caption', {}, caption),
    element(
      'tbody',
      {},
      ...rows.flatMap(([name, value]) =>
        value === null || value === ''
          ? []
          : [element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, value))],
      ),
    ),
  );
}

/** A table with column headings; it scrolls alone where it is wider than the window. */
export function printTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly XmlNode[])[],
): XmlElement {
  return element(
    'div',
    { class: 'wide', tabindex: '0', role: 'group', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', {}, caption),
      headings(columns),
      element('tbody', {}, ...rows.map(row)),
    ),
  );
}

export function row(cells: readonly XmlNode[]): XmlElement {
  return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
}

/** A button that posts one parameter. */
export function button(action: string, name: string, value: string, text: string): XmlElement {
  return element('form', { method: 'post', action }, element('button', { name, value }, text));
}

function headings(columns: readonly string[]): XmlElement {
  return element(
    'thead',
    {},
    element('tr', {}, ...columns.map((name) => element('th', { scope: 'col' }, name))),
  );
}

function printHtml(node: XmlNode): string {
  if (typeof node === 'string') return escapeText(node);
  const attributes = Object.entries(node.attributes)
    .map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`)
    .join('');
  if (VOID.has(node.name)) return `<${node.name}${attributes}>`;
  return `<${node.name}${attributes}>${node.children.map(printHtml).join('')}</${node.name}>`;
}
