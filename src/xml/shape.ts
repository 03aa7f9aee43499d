import { exactNumber } from './exact-number.ts';
/**
 * How the values of a schema look in XML. Alternatives of a schema (`oneOf`, `anyOf`, subtypes of a
 * discriminator) are one shape, which has the properties of all: so a reader needs no decision.
 */
export type XmlShape = {
  /** name of the component of the contract, for the schema of XML; undefined without one */
  readonly name: string | undefined;
  readonly scalars: Scalars;
  /** undefined: a value is never a mapping */
  readonly record: RecordShape | undefined;
  /** undefined: a value is never a list */
  readonly list: ListShape | undefined;
};

/** What a text between tags may be. */
export type Scalars = {
  readonly text: boolean;
  readonly number: boolean;
  readonly truth: boolean;
  readonly nothing: boolean;
  /** space around the text has no meaning: all texts are words of a list, times, or URLs */
  readonly trimmed: boolean;
  /** types of texts and numbers, as XML Schema names them */
  readonly simple: readonly SimpleType[];
};
export type SimpleType = { readonly base: string; readonly words?: readonly string[] };

export type RecordShape = {
  readonly properties: ReadonlyMap<string, PropertyShape>;
  /** keys of the properties, by the names of their elements */
  readonly byElement: ReadonlyMap<string, string>;
  /** keys of the properties that are attributes, by the names of these */
  readonly byAttribute: ReadonlyMap<string, string>;
  readonly rest: Lazy;
  /**
   * Where a key without a property stands: in an element with the name of the key; in
   * `<entry key="…">`; in such an entry inside of `<others>`.
   */
  readonly restIn: 'elements' | 'entries' | 'others';
};

export type PropertyShape = {
  readonly element: string;
  readonly attribute: boolean;
  readonly required: boolean;
  readonly shape: Lazy;
};

export type ListShape = {
  /** name of the element of an item */
  readonly item: string;
  readonly shape: Lazy;
};

/** Schemas may contain themselves, so their parts are made when they are wanted. */
export type Lazy = () => XmlShape;

/** Element of a key that has no element of its own; its attributes `key` or `json-key` have it. */
export const ENTRY = 'entry';
/** Element around such entries where a mapping has properties. */
export const OTHERS = 'others';
/** Attribute that says what a value is, where the schema alone does not. */
export const HINT = 'json';
export const KEY = 'key';
/** Instead of `key`, for a key that XML forbids: the inner text of a JSON string. */
export const JSON_KEY = 'json-key';

/** Element of an item where no schema names it. */
export const ITEM = 'item';

/** Any JSON value. */
export const ANY: XmlShape = {
  name: undefined,
  scalars: { text: true, number: false, truth: false, nothing: false, trimmed: false, simple: [] },
  record: {
    properties: new Map(),
    byElement: new Map(),
    byAttribute: new Map(),
    rest: () => ANY,
    restIn: 'elements',
  },
  list: { item: ITEM, shape: () => ANY },
};

const SPACE_AROUND = /^[ \t\n\r]+|[ \t\n\r]+$/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * What a text between tags is without a hint. The writer adds a hint where this is not the value;
 * so both always agree.
 */
export function valueOfText({ scalars, record, list }: XmlShape, text: string): unknown {
  const trimmed = text.replace(SPACE_AROUND, '');
  if (trimmed === '' && !scalars.text) {
    if (record !== undefined) return {};
    return list === undefined ? text : [];
  }
  if (scalars.truth && (trimmed === 'true' || trimmed === 'false')) return trimmed === 'true';
  if (scalars.number) return jsonNumber(trimmed) ?? (scalars.trimmed ? trimmed : text);
  return scalars.trimmed ? trimmed : text;
}

/**
 * The number of a text of JSON's grammar, a bigint if a double would be another one; undefined for
 * another text.
 */
export function jsonNumber(text: string): number | bigint | undefined {
  return NUMBER.test(text) ? exactNumber(Number(text), text) : undefined;
}

/**
 * Is an element with these children a list, without a hint? Where a value can be both, a list has
 * items only, and a mapping something else.
 */
export function looksLikeList(
  { record, list }: XmlShape,
  names: Iterable<string>,
  attributes: number,
): boolean {
  if (list === undefined || record === undefined) return list !== undefined;
  if (attributes > 0 || record.byElement.has(list.item)) return false;
  for (const name of names) if (name !== list.item) return false;
  return true;
}
