import { escapeAttribute, escapeText, isXmlText } from './escape.ts';
import {
  ANY,
  ENTRY,
  HINT,
  ITEM,
  JSON_KEY,
  KEY,
  looksLikeList,
  OTHERS,
  valueOfText,
  type RecordShape,
  type XmlShape,
} from './shape.ts';

/**
 * Writes a value as an element, so that the reader gets the same value: what the schema does not
 * tell is in the attribute `json`. Values are those of JSON; others are written as JSON does.
 *
 * @param more attributes of the element, with a space before them
 */
export function writeElement(name: string, shape: XmlShape, value: unknown, more = ''): string {
  switch (typeof value) {
    case 'string':
      return writeText(name, shape, value, more);
    case 'number':
      return Number.isFinite(value)
        ? writeWord(name, shape, value, numberText(value), more)
        : tagged(name, `${more}${hint('null')}`, '');
    case 'boolean':
      return writeWord(name, shape, value, String(value), more);
    case 'object':
      if (value === null) break;
      return Array.isArray(value)
        ? writeList(name, shape, value, more)
        : writeRecord(name, shape, value, more);
    default:
  }
  return tagged(name, `${more}${hint('null')}`, '');
}

function writeText(name: string, shape: XmlShape, text: string, more: string): string {
  if (!isXmlText(text))
    return tagged(name, `${more}${hint('escaped')}`, escapeText(jsonText(text)));
  const told = valueOfText(shape, text) === text ? '' : hint('string');
  return tagged(name, more + told, escapeText(text));
}

/** The inner text of a JSON string, with an escape for all that XML forbids. */
function jsonText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return inner.replace(/[\u007F-\uFFFF]/g, (one) =>
    isXmlText(one) ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writeWord(
  name: string,
  shape: XmlShape,
  value: number | boolean,
  text: string,
  more: string,
): string {
  const told = Object.is(valueOfText(shape, text), value) ? '' : hint(typeof value);
  return tagged(name, more + told, text);
}

/** Without an exponent where XML Schema takes none: whole numbers are written in full. */
function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  return Number.isInteger(value) && text.includes('e') ? BigInt(value).toString() : text;
}

function writeList(name: string, shape: XmlShape, items: readonly unknown[], more: string): string {
  const { item, shape: inner } = shape.list ?? { item: ITEM, shape: anything };
  const isTold =
    items.length === 0 ? Array.isArray(valueOfText(shape, '')) : looksLikeList(shape, [item], 0);
  let content = '';
  for (const one of items) content += writeElement(item, inner(), one);
  return tagged(name, isTold ? more : `${more}${hint('list')}`, content);
}

function writeRecord(name: string, shape: XmlShape, value: object, more: string): string {
  const record = shape.record ?? ANY.record;
  if (record === undefined) throw new Error('any value may be a mapping');
  const parts: Parts = { attributes: '', content: '', others: '', names: new Set() };
  for (const [key, one] of Object.entries(value))
    if (one !== undefined) writeProperty(parts, record, key, one);
  if (parts.others !== '') {
    parts.content += tagged(OTHERS, '', parts.others);
    parts.names.add(OTHERS);
  }
  const isEmpty = parts.attributes === '' && parts.content === '';
  const isTold = isEmpty
    ? isMapping(valueOfText(shape, ''))
    : shape.record !== undefined && !looksLikeList(shape, parts.names, parts.attributes.length);
  return tagged(name, `${more}${parts.attributes}${isTold ? '' : hint('map')}`, parts.content);
}

type Parts = {
  attributes: string;
  content: string;
  others: string;
  /** names of the elements in `content` */
  readonly names: Set<string>;
};

const NAME = /^(?!xml)[A-Za-z_][\w.-]{0,99}$/i;

function writeProperty(parts: Parts, record: RecordShape, key: string, value: unknown): void {
  const property = record.properties.get(key);
  if (property !== undefined) {
    const { element, attribute, shape } = property;
    if (attribute && typeof value === 'string' && isPlainly(shape(), value))
      parts.attributes += ` ${element}="${escapeAttribute(value)}"`;
    else {
      parts.content += writeElement(element, shape(), value);
      parts.names.add(element);
    }
    return;
  }
  const rest = record.rest();
  if (record.restIn === 'elements' && NAME.test(key) && key !== ENTRY) {
    parts.content += writeElement(key, rest, value);
    parts.names.add(key);
    return;
  }
  const entry = writeElement(ENTRY, rest, value, keyAttribute(key));
  if (record.restIn === 'others') parts.others += entry;
  else {
    parts.content += entry;
    parts.names.add(ENTRY);
  }
}

function isPlainly(shape: XmlShape, text: string): boolean {
  return isXmlText(text) && valueOfText(shape, text) === text;
}

function keyAttribute(key: string): string {
  return isXmlText(key)
    ? ` ${KEY}="${escapeAttribute(key)}"`
    : ` ${JSON_KEY}="${escapeAttribute(jsonText(key))}"`;
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value);
}

function anything(): XmlShape {
  return ANY;
}

function hint(type: string): string {
  return ` ${HINT}="${type}"`;
}

function tagged(name: string, attributes: string, content: string): string {
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}
