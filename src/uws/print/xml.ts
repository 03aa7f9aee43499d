/** A child is text, which the printer escapes, or an element: markup cannot be made from a string by accident. */
export type XmlNode = string | XmlElement;
export type XmlElement = {
  /** with its prefix, for example `uws:job` */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
};

export const element = (
  name: string, attributes: Readonly<Record<string, string>> = {}, ...children: readonly XmlNode[]
): XmlElement => ({ name, attributes, children });

// What XML 1.0 allows; the rest (most control characters, half surrogate pairs) not even as &#1;.
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Can the text stand in an XML document unchanged? */
export const isXmlText = (text: string): boolean => text.search(FORBIDDEN) === -1;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;', '\n': '&#10;', '\t': '&#9;',
};
const entity = (character: string): string => ENTITIES[character] ?? character;

const clean = (text: string): string => text.replace(FORBIDDEN, '\uFFFD');
export const escapeText = (text: string): string => clean(text).replace(/[&<>\r]/g, entity);
export const escapeAttribute = (text: string): string => clean(text).replace(/[&<>"\r\n\t]/g, entity);

const startOf = ({ name, attributes }: XmlElement): string =>
  [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeAttribute(value)}"`)].join(' ');

/** Prints an element; what XML forbids becomes U+FFFD. */
export const printXml = (node: XmlNode): string => {
  if (typeof node === 'string') return escapeText(node);
  if (node.children.length === 0) return `<${startOf(node)}/>`;
  return `<${startOf(node)}>${node.children.map(printXml).join('')}</${node.name}>`;
};

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A whole document. */
export const printDocument = (root: XmlElement): string => `${DECLARATION}${printXml(root)}\n`;

/** A document whose children are printed one by one between `head` and `tail`, so that it is never whole in memory. */
export const openDocument = (root: XmlElement): { readonly head: string; readonly tail: string } => ({
  head: `${DECLARATION}<${startOf(root)}>\n`,
  tail: `</${root.name}>\n`,
});
