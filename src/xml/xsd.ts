import { escapeAttribute } from './escape.ts';
import type { XmlDocument } from './mapping.ts';
import {
  ANY,
  ENTRY,
  HINT,
  JSON_KEY,
  KEY,
  OTHERS,
  type ListShape,
  type RecordShape,
  type XmlShape,
  type SimpleType,
} from './shape.ts';

/**
 * The XML Schema of a document, in XSD 1.0. It says what the writer writes: the elements of a
 * mapping in any order, each at most once. The reader takes more, and the contract alone has limits
 * of lengths and amounts.
 */
export function printXsd({ root, namespace, shape }: XmlDocument): string {
  const types: Types = { names: new Map(), taken: new Set(), defined: [] };
  const type = typeOf(types, shape, root);
  const target =
    namespace === ''
      ? ''
      : ` targetNamespace="${namespace}" xmlns="${namespace}" elementFormDefault="qualified"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${target}>`,
    `  ${elementOf(root, type)}`,
    ...types.defined,
    '</xs:schema>\n',
  ].join('\n');
}

type Types = {
  /** names of types, by what they define */
  readonly names: Map<XmlShape | string, string>;
  readonly taken: Set<string>;
  readonly defined: string[];
};

/** The name of the type of a shape. @param at where the shape stands, for one without a name */
function typeOf(types: Types, shape: XmlShape, at: string): string {
  const { name = at, scalars, record, list } = shape;
  if (shape === ANY) return define(types, shape, 'Anything', anything);
  if (record !== undefined || list !== undefined)
    return define(types, shape, name, (own) => complexType(types, shape, own));
  const [only, ...more] = scalars.simple;
  if (only === undefined || more.length > 0 || scalars.nothing)
    return define(types, shape, name, (own) => unionType(shape, own));
  if (only.words === undefined) return only.base;
  return define(
    types,
    `${only.base} ${only.words.join(' ')}`,
    name,
    (own) => `  <xs:simpleType name="${own}">${restriction(only)}</xs:simpleType>`,
  );
}

/** Defines a type once. @param wanted its name, unless another type has it */
function define(
  { names, taken, defined }: Types,
  what: XmlShape | string,
  wanted: string,
  print: (name: string) => string,
): string {
  const known = names.get(what);
  if (known !== undefined) return known;
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`;
  taken.add(name);
  names.set(what, name);
  // Its place is before those of its parts, which may contain it.
  const place = defined.push('') - 1;
  defined[place] = print(name);
  return name;
}

const HINTED = `<xs:attribute name="${HINT}" type="xs:NMTOKEN"/>`;
const MANY = ' minOccurs="0" maxOccurs="unbounded"';
const ANY_ELEMENTS = `<xs:sequence><xs:any processContents="skip"${MANY}/></xs:sequence>`;

function anything(name: string): string {
  return (
    `  <xs:complexType name="${name}" mixed="true">${ANY_ELEMENTS}` +
    '<xs:anyAttribute processContents="skip"/></xs:complexType>'
  );
}

function complexType(types: Types, shape: XmlShape, name: string): string {
  const { scalars, record } = shape;
  const attributes = [...(record?.byAttribute.keys() ?? [])].map(
    (one) => `<xs:attribute name="${one}" type="xs:string"/>`,
  );
  return [
    `  <xs:complexType name="${name}"${scalars.simple.length > 0 ? ' mixed="true"' : ''}>`,
    ...[...contentOf(types, shape, name), ...attributes, HINTED].map((line) => `    ${line}`),
    '  </xs:complexType>',
  ].join('\n');
}

function contentOf(types: Types, shape: XmlShape, at: string): readonly string[] {
  const { record, list } = shape;
  if (record?.restIn === 'elements') return [ANY_ELEMENTS];
  const items = list === undefined ? [] : [itemOf(types, list, at)];
  if (record === undefined) return within('xs:sequence', '', items, MANY);
  // In any order: a list may stand in place of the mapping, and a mapping without properties has
  // many entries.
  if (list !== undefined || record.restIn === 'entries') {
    const all = [...elementsOf(types, record, at), restOf(types, record, at), ...items];
    return within('xs:choice', MANY, all, '');
  }
  const required = requiredIn(shape);
  const properties = elementsOf(types, record, at).map((element, index) =>
    required[index] === true ? element : withMore(element, OPTIONAL),
  );
  return within('xs:all', '', [...properties, withMore(restOf(types, record, at), OPTIONAL)], '');
}

const OPTIONAL = ' minOccurs="0"';

function within(
  group: string,
  more: string,
  elements: readonly string[],
  each: string,
): readonly string[] {
  return [`<${group}${more}>`, ...elements.map((one) => `  ${withMore(one, each)}`), `</${group}>`];
}

function withMore(element: string, more: string): string {
  return element.replace(/\/>$/, `${more}/>`);
}

function elementsOf(types: Types, { properties }: RecordShape, at: string): readonly string[] {
  return [...properties.values()].map(({ element, shape }) =>
    elementOf(element, typeOf(types, shape(), `${at}.${element}`)),
  );
}

/** A text or nothing may stand in place of the mapping; then it has no elements. */
function requiredIn({ record, scalars }: XmlShape): readonly boolean[] {
  const isAlone = scalars.simple.length === 0 && !scalars.nothing;
  return [...(record?.properties.values() ?? [])].map(
    ({ required, attribute }) => required && !attribute && isAlone,
  );
}

function itemOf(types: Types, { item, shape }: ListShape, at: string): string {
  return elementOf(item, typeOf(types, shape(), `${at}.${item}`));
}

/** The element of the keys without a property. */
function restOf(types: Types, record: RecordShape, at: string): string {
  const entry = elementOf(ENTRY, entryType(types, record.rest(), at));
  if (record.restIn === 'entries') return entry;
  const others = define(
    types,
    `${OTHERS} ${entry}`,
    'Others',
    (name) =>
      `  <xs:complexType name="${name}"><xs:sequence>${withMore(entry, MANY)}</xs:sequence>` +
      '</xs:complexType>',
  );
  return elementOf(OTHERS, others);
}

/** The type of a value with its key. */
function entryType(types: Types, rest: XmlShape, at: string): string {
  const type = typeOf(types, rest, `${at}.${ENTRY}`);
  // Its attributes may be any.
  if (rest === ANY) return type;
  const isSimple = rest.record === undefined && rest.list === undefined;
  const kind = isSimple ? 'simpleContent' : 'complexContent';
  const hasHint = !isSimple || types.names.has(rest);
  return define(
    types,
    `${ENTRY} ${type}`,
    `${type.replace('xs:', '')}.${ENTRY}`,
    (name) =>
      `  <xs:complexType name="${name}"><xs:${kind}><xs:extension base="${type}">` +
      `<xs:attribute name="${KEY}" type="xs:string"/>` +
      `<xs:attribute name="${JSON_KEY}" type="xs:string"/>${hasHint ? '' : HINTED}` +
      `</xs:extension></xs:${kind}></xs:complexType>`,
  );
}

function elementOf(name: string, type: string): string {
  return `<xs:element name="${name}" type="${type}"/>`;
}

function restriction({ base, words }: SimpleType): string {
  const all = (words ?? []).map((word) => `<xs:enumeration value="${escapeAttribute(word)}"/>`);
  return `<xs:restriction base="${base}">${all.join('')}</xs:restriction>`;
}

/** Several types of texts and numbers; the attribute `json` tells apart what looks alike. */
function unionType({ scalars: { simple, nothing } }: XmlShape, name: string): string {
  const empty: readonly SimpleType[] = nothing ? [{ base: 'xs:token', words: [''] }] : [];
  const members = [...simple, ...empty].map(
    (one) => `<xs:simpleType>${restriction(one)}</xs:simpleType>`,
  );
  return [
    `  <xs:complexType name="${name}"><xs:simpleContent><xs:extension base="${name}.text">`,
    `    ${HINTED}`,
    '  </xs:extension></xs:simpleContent></xs:complexType>',
    `  <xs:simpleType name="${name}.text"><xs:union>${members.join('')}</xs:union></xs:simpleType>`,
  ].join('\n');
}
