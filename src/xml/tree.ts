import { isXmlText } from './escape.ts';

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
  // Line ends, XML 1.0 § 2.11.
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source;
  const reading: Reading = { text, at: 0, lines: 1, lineEnd: text.indexOf('\n'), left: most };
  if (!isXmlText(text)) throw fault(reading, 'it has a character that XML forbids');
  skipDeclaration(reading);
  skipBetween(reading);
  const namespaces = { default: '' };
  const tree = readElement(reading, namespaces);
  skipBetween(reading);
  if (reading.at < text.length) throw fault(reading, 'something follows the root element');
  return { tree, namespace: namespaces.default };
}

type Reading = {
  readonly text: string;
  at: number;
  /** line of the last place that was asked for, and its end; -1 in the last line */
  lines: number;
  lineEnd: number;
  left: number;
};

/** Deeper than any document whose values may have 30 levels. */
const MOST_LEVELS = 100;

const START =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}' +
  '\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}' +
  '\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
const NAME = `[${START}][${START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`;
const SPACE = '[ \\t\\n]';
const VALUE = `"[^<"]*"|'[^<']*'`;
const ATTRIBUTES = `(?:${SPACE}+${NAME}${SPACE}*=${SPACE}*(?:${VALUE}))*`;
const TAG = new RegExp(`<(${NAME})(${ATTRIBUTES})${SPACE}*(/?)>`, 'uy');
const END = new RegExp(`</(${NAME})${SPACE}*>`, 'uy');
const ATTRIBUTE = new RegExp(`(${NAME})${SPACE}*=${SPACE}*(${VALUE})`, 'gu');
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${SPACE}*=${SPACE}*(?:"1\\.0"|'1\\.0')` +
    `(?:${SPACE}+encoding${SPACE}*=${SPACE}*(?:"([\\w.-]+)"|'([\\w.-]+)'))?` +
    `(?:${SPACE}+standalone${SPACE}*=${SPACE}*(?:"(?:yes|no)"|'(?:yes|no)'))?${SPACE}*\\?>`,
  'y',
);
/** Names that say where a schema is, or how to read the text of an editor. */
const WITHOUT_MEANING =
  /^(?:xmlns:[^:]+|[^:]+:(?:noNamespaceSchemaLocation|schemaLocation)|xml:(?:space|lang))$/;

function skipDeclaration(reading: Reading): void {
  if (!/^<\?xml[ \t\n]/.test(reading.text)) return;
  DECLARATION.lastIndex = 0;
  const [all, double, single] = DECLARATION.exec(reading.text) ?? [];
  if (all === undefined) throw fault(reading, 'its XML declaration is wrong');
  const encoding = double ?? single ?? 'UTF-8';
  if (!/^(?:utf-8|us-ascii)$/i.test(encoding))
    throw fault(reading, `its encoding is ${encoding}, which must be UTF-8`);
  reading.at = all.length;
}

/** Skips space and comments outside of the root. */
function skipBetween(reading: Reading): void {
  for (;;) {
    while (/[ \t\n]/.test(reading.text.charAt(reading.at))) reading.at += 1;
    if (!reading.text.startsWith('<!--', reading.at)) return;
    skipComment(reading);
  }
}

function skipComment(reading: Reading): void {
  const end = reading.text.indexOf('--', reading.at + 4);
  if (end === -1 || reading.text[end + 2] !== '>')
    throw fault(reading, "a comment does not end, or has '--'");
  reading.at = end + 3;
}

type Namespaces = { default: string };

function readElement(reading: Reading, namespaces: Namespaces, level = 1): Tree {
  const { text } = reading;
  const line = lineOf(reading);
  if (level > MOST_LEVELS) throw fault(reading, 'its elements are nested too deep');
  if ((reading.left -= 1) < 0) throw fault(reading, 'it has too many elements');
  TAG.lastIndex = reading.at;
  const [all, name, attributes = '', slash] = TAG.exec(text) ?? [];
  if (all === undefined || name === undefined) throw fault(reading, noTag(reading));
  if (name.includes(':'))
    throw fault(reading, `<${name}> has a prefix; elements here have a default namespace or none`);
  const named = attributesOf(reading, attributes, namespaces, level);
  reading.at += all.length;
  if (slash === '/') return { name, attributes: named, children: NONE, text: '', line };
  const children: Tree[] = [];
  let content = '';
  for (;;) {
    const next = text.indexOf('<', reading.at);
    if (next === -1) throw fault(reading, `<${name}> is not closed`);
    if (next > reading.at) content += readText(reading, next);
    reading.at = next;
    if (text.startsWith('</', next)) break;
    if (text.startsWith('<!--', next)) skipComment(reading);
    else if (text.startsWith('<![CDATA[', next)) content += readCdata(reading);
    else children.push(readElement(reading, namespaces, level + 1));
  }
  END.lastIndex = reading.at;
  const [end, closed] = END.exec(text) ?? [];
  if (end === undefined || closed !== name)
    throw fault(reading, `<${name}> is closed by another name`);
  reading.at += end.length;
  return { name, attributes: named, children, text: content, line };
}

const NONE: readonly Tree[] = [];
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

function noTag({ text, at }: Reading): string {
  if (text.startsWith('<!DOCTYPE', at)) return 'it has a document type, which is never read';
  if (text.startsWith('<?', at)) return 'it has a processing instruction, which is never read';
  return text.charAt(at) === '<' ? 'an element is written wrong' : 'there is no element';
}

function attributesOf(
  reading: Reading,
  written: string,
  namespaces: Namespaces,
  level: number,
): ReadonlyMap<string, string> {
  if (written === '') return NO_ATTRIBUTES;
  const found = new Map<string, string>();
  const names = new Set<string>();
  for (const [, name = '', quoted = ''] of written.matchAll(ATTRIBUTE)) {
    if (names.has(name)) throw fault(reading, `the attribute ${name} is given twice`);
    names.add(name);
    // XML 1.0 § 3.3.3: only a character reference writes a line end or a tab.
    const value = decoded(reading, quoted.slice(1, -1).replace(/[\t\n]/g, ' '));
    if (name === 'xmlns') {
      if (level === 1) namespaces.default = value;
      else if (value !== namespaces.default)
        throw fault(reading, `the namespace changes to '${value}'`);
    } else if (!WITHOUT_MEANING.test(name)) found.set(name, value);
  }
  return found;
}

function readText(reading: Reading, end: number): string {
  const text = reading.text.slice(reading.at, end);
  if (text.includes(']]>')) throw fault(reading, "a text has ']]>'");
  return decoded(reading, text);
}

function readCdata(reading: Reading): string {
  const begin = reading.at + '<![CDATA['.length;
  const end = reading.text.indexOf(']]>', begin);
  if (end === -1) throw fault(reading, 'a CDATA section does not end');
  reading.at = end + 3;
  return reading.text.slice(begin, end);
}

const FIVE: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(reading: Reading, text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#x([\da-fA-F]+)|#(\d+)|(\w+));|&/g, (whole, hex, decimal, name) => {
    if (typeof name === 'string') {
      const known = Object.hasOwn(FIVE, name) ? FIVE[name] : undefined;
      if (known === undefined) throw fault(reading, `the entity ${whole} is not one of XML's five`);
      return known;
    }
    const code =
      typeof hex === 'string' ? Number.parseInt(hex, 16) : Number.parseInt(String(decimal), 10);
    const character = code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\0';
    if (!isXmlText(character)) throw fault(reading, `'${whole.slice(0, 20)}' is no character`);
    return character;
  });
}

function fault(reading: Reading, reason: string): XmlFault {
  return new XmlFault(reason, lineOf(reading));
}

/** Counts on from the place before, so that every line end is passed once. */
function lineOf(reading: Reading): number {
  while (reading.lineEnd !== -1 && reading.lineEnd < reading.at) {
    reading.lines += 1;
    reading.lineEnd = reading.text.indexOf('\n', reading.lineEnd + 1);
  }
  return reading.lines;
}
