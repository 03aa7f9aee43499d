import { escapeAttribute, escapeText } from '../../xml/escape.ts';

/**
 * A child is an element, or text that the printer escapes: no string becomes markup by accident.
 */
export type XmlNode = string | XmlElement;
export type XmlElement = {
  /** with its prefix, such as `uws:job` */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
};

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly XmlNode[]
): XmlElement {
  return { name, attributes, children };
}

/** Prints an element; a character that XML forbids becomes U+FFFD. */
export function printXml(node: XmlNode): string {
  if (typeof node === 'string') return escapeText(node);
  if (node.children.length === 0) return `<${startOf(node)}/>`;
  return `<${startOf(node)}>${node.children.map(printXml).join('')}</${node.name}>`;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Prints a whole document. */
export function printDocument(root: XmlElement): string {
  return `${DECLARATION}${printXml(root)}\n`;
}

/**
 * A document whose children the caller prints one by one between `head` and `tail`, so that memory
 * never holds all of it.
 */
export function openDocument(root: XmlElement): { readonly head: string; readonly tail: string } {
  return { head: `${DECLARATION}<${startOf(root)}>\n`, tail: `</${root.name}>\n` };
}

function startOf({ name, attributes }: XmlElement): string {
  return [
    name,
    ...Object.entries(attributes).map(([key, value]) => `${key}="${escapeAttribute(value)}"`),
  ].join(' ');
}
