import { SaxesParser } from 'saxes';

/** An element of a document, with all of its text in one. */
export type Tree = {
  readonly name: string;
  /** without declarations of namespaces and places of schemas */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Tree[];
  readonly text: string;
  readonly line: number;
};

/** The root of a document. */
export type Root = {
  readonly tree: Tree;
  /** the default namespace of the root; empty without one */
  readonly namespace: string;
};

/** A text that is not XML, or uses what documents here do without. */
export class XmlFault extends Error {
  /** @param reason a clause without its end */
  constructor(reason: string, line: number) {
    super(`${reason} (line ${line})`);
    this.name = 'XmlFault';
  }
}

/**
 * Reads a document, XML 1.0 without document types and processing instructions: so it has no
 * entities but XML's own five, and loads nothing. Comments are skipped.
 *
 * @param most largest number of elements; each may also have an entry in `attributes`
 * @throws XmlFault
 */
export function readTree(source: string, most = Infinity): Root {
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const open: Open[] = [];
  let root: Tree | undefined;
  let namespace = '';
  let left = most;
  const refuse = (reason: string): never => {
    throw new XmlFault(reason, parser.line);
  };
  parser.on('error', ({ message }) => refuse(clauseOf(message)));
  parser.on('doctype', () => refuse('it has a document type, which is never read'));
  parser.on('processinginstruction', () =>
    refuse('it has a processing instruction, which is never read'),
  );
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!UTF_8.test(encoding)) refuse(`its encoding is ${encoding}, which must be UTF-8`);
  });
  parser.on('opentag', ({ name, attributes: { xmlns, ...attributes } }) => {
    if (open.length === MOST_LEVELS) refuse('its elements are nested too deep');
    if ((left -= 1) < 0) refuse('it has too many elements');
    if (name.includes(':'))
      refuse(`<${name}> has a prefix; elements here have a default namespace or none`);
    if (open.length === 0) namespace = xmlns ?? '';
    else if (xmlns !== undefined && xmlns !== namespace)
      refuse(`the namespace changes to '${xmlns}'`);
    const line = parser.line;
    open.push({ name, attributes: meaningful(attributes), children: [], text: '', line });
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    const parent = open.at(-1);
    if (parent === undefined) root = closed;
    else if (closed !== undefined) parent.children.push(closed);
  });
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(source).close();
  return root === undefined ? refuse('there is no element') : { tree: root, namespace };
}

type Open = Tree & { text: string; readonly children: Tree[] };

/** Deeper than any document whose values may have 30 levels. */
const MOST_LEVELS = 100;
const UTF_8 = /^(?:utf-8|us-ascii)$/i;
/** Names that say where a schema is, or how to read the text of an editor. */
const WITHOUT_MEANING =
  /^(?:xmlns:[^:]+|[^:]+:(?:noNamespaceSchemaLocation|schemaLocation)|xml:(?:space|lang))$/;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

function meaningful(attributes: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const found = Object.entries(attributes).filter(([name]) => !WITHOUT_MEANING.test(name));
  return found.length === 0 ? NO_ATTRIBUTES : new Map(found);
}

/** The parser says `2:7: unexpected close tag.`; we say the line behind. */
function clauseOf(message: string): string {
  return message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
}
