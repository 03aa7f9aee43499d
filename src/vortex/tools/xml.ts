/** An element of an XML document: `text` is the text before its first child, without comments. */
export type Element = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  readonly text: string;
};

/** A text that is not well-formed XML, or uses parts of XML that configurations do not need. */
export class XmlError extends Error {
  constructor(message: string, line: number) {
    super(`line ${line}: ${message}`);
    this.name = 'XmlError';
  }
}

type Open = {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
};

const NAME = String.raw`[\p{L}_:][\p{L}\p{N}._:-]*`;
/** Without content: comments, instructions and a plain document type. */
const SKIPPED = String.raw`<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^<>\[]*>`;
const CDATA = String.raw`<!\[CDATA\[(.*?)\]\]>`;
const END = String.raw`</(${NAME})\s*>`;
const START = String.raw`<(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^<"]*"|'[^<']*'))*)\s*(/?)>`;
const PART = new RegExp(`${SKIPPED}|${CDATA}|${END}|${START}|([^<]+)`, 'gsuy');
const ATTRIBUTE = new RegExp(String.raw`(${NAME})\s*=\s*(?:"([^"]*)"|'([^']*)')`, 'gu');
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/**
 * The root element. Refuses all entities but XML's own five and character numbers, since no
 * document type can define others. Throws XmlError.
 */
export function parseXml(source: string): Element {
  const top: Open = { name: '', attributes: new Map(), children: [], text: '' };
  const open: Open[] = [top];
  let at = 0;
  const fail = (message: string): never => {
    throw new XmlError(message, source.slice(0, at).split('\n').length);
  };
  const inner = (): Open => open.at(-1) ?? top;
  const close = (name: string | undefined): void => {
    const done = inner();
    if (done === top || (name !== undefined && name !== done.name))
      fail(`</${name}> closes nothing`);
    open.pop();
    inner().children.push(done);
  };
  for (const [part, cdata, end, name, attributes = '', slash, text] of source.matchAll(PART)) {
    if (end !== undefined) close(end);
    else if (name !== undefined) {
      if (inner() === top && top.children.length > 0) fail('there is more than one root element');
      open.push({ name, attributes: attributesOf(attributes, fail), children: [], text: '' });
      if (slash === '/') close(undefined);
    } else {
      const said = cdata ?? (text === undefined ? '' : decoded(text, fail));
      if (inner().children.length === 0) inner().text += said;
      if (inner() === top && said.trim().replace('\uFEFF', '') !== '')
        fail('there is text outside of the root element');
    }
    at += part.length;
  }
  if (at < source.length) fail('this is no XML');
  if (inner() !== top) fail(`<${inner().name}> is not closed`);
  return top.children[0] ?? fail('there is no element');
}

type Fail = (message: string) => never;

function attributesOf(text: string, fail: Fail): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(ATTRIBUTE)];
  return new Map(
    pairs.map(([, name = '', double, single = '']) => [name, decoded(double ?? single, fail)]),
  );
}

function decoded(text: string, fail: Fail): string {
  return text.replaceAll(
    /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(\w+));|&/g,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? fail(`the entity '${whole}' is not known`);
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : fail(`'${whole}' is no character`);
    },
  );
}
