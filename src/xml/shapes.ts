import { isRecord } from '../words/record.ts';
import {
  allowsAnything,
  leavesOf,
  nameOf,
  referred,
  requiredOf,
  textsAt,
  type Schema,
} from './leaves.ts';
import {
  ANY,
  ENTRY,
  HINT,
  ITEM,
  JSON_KEY,
  KEY,
  OTHERS,
  type Lazy,
  type ListShape,
  type PropertyShape,
  type RecordShape,
  type Scalars,
  type XmlShape,
  type SimpleType,
} from './shape.ts';

/**
 * Makes the shapes of the schemas of a contract, each once. Names of elements, attributes and items
 * are those of its annotations `xml`. Every list has an element around its items (`wrapped`).
 *
 * @returns a function that throws Error for annotations that contradict each other
 */
export function openShapes(document: object): (schema: Schema) => XmlShape {
  const numbers = new Map<Schema, number>();
  const shapes = new Map<string, XmlShape>();

  function shapeOf(schemas: readonly Schema[]): XmlShape {
    const meant = [...new Set(schemas.map(followed))];
    const key = meant.map(numberOf).join();
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const made = makeShape(meant, schemas);
    shapes.set(key, made);
    return made;
  }

  /** The schema behind a reference with nothing but annotations beside it. */
  function followed(schema: Schema): Schema {
    const [reference] = textsAt(schema, '$ref');
    const [only, ...more] = leavesOf(document, [schema]);
    return reference === undefined || (only === schema && more.length === 0)
      ? schema
      : followed(referred(document, reference));
  }

  function numberOf(schema: Schema): number {
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  }

  function makeShape(meant: readonly Schema[], named: readonly Schema[]): XmlShape {
    const leaves = leavesOf(document, meant);
    if (leaves.some(allowsAnything)) return ANY;
    const [reference] = named.length === 1 ? named.flatMap((one) => textsAt(one, '$ref')) : [];
    return {
      name: reference === undefined ? undefined : nameOf(reference),
      scalars: scalarsOf(leaves),
      record: recordOf(leaves, meant),
      list: listOf(leaves),
    };
  }

  function recordOf(
    leaves: readonly Schema[],
    schemas: readonly Schema[],
  ): RecordShape | undefined {
    const records = leaves.filter(
      (schema) => textsAt(schema, 'type').includes('object') || 'properties' in schema,
    );
    if (records.length === 0) return undefined;
    const [first = new Set<string>(), ...others] = schemas.map((one) => requiredOf(document, one));
    const required = [...first].filter((key) => others.every((other) => other.has(key)));
    const properties = propertiesOf(records, new Set(required));
    const rest = records.flatMap(({ additionalProperties }) =>
      isRecord(additionalProperties) ? [additionalProperties] : [],
    );
    const shape: Lazy = rest.length === 0 ? () => ANY : lazily(() => shapeOf(rest));
    const isFree = properties.size === 0;
    return {
      properties,
      byElement: namesOf(properties, () => true),
      byAttribute: namesOf(properties, ({ attribute }) => attribute),
      rest: shape,
      restIn: isFree ? (rest.length === 0 ? 'elements' : 'entries') : 'others',
    };
  }

  function propertiesOf(
    records: readonly Schema[],
    required: ReadonlySet<string>,
  ): ReadonlyMap<string, PropertyShape> {
    const all = records.flatMap(({ properties }) =>
      isRecord(properties) ? Object.entries(properties) : [],
    );
    const made = [...Map.groupBy(all, ([key]) => key)].map(([key, those]) => {
      const schemas = those.map(([, schema]) => schema).filter(isRecord);
      const told = schemas.map(({ xml }) => xml).filter(isRecord);
      const property: PropertyShape = {
        element: oneOf(key, told, 'name') ?? key,
        // A component may say that it is an attribute wherever it stands.
        attribute: schemas.flatMap(annotationOf).some(({ attribute }) => attribute === true),
        required: required.has(key),
        shape: lazily(() => shapeOf(schemas)),
      };
      requireName(key, property.element);
      if (property.attribute && RESERVED_ATTRIBUTES.has(property.element))
        throw new Error(`the contract makes ${key} an attribute, which has another meaning`);
      return [key, property] as const;
    });
    return new Map(made);
  }

  function listOf(leaves: readonly Schema[]): ListShape | undefined {
    const lists = leaves.filter(
      (schema) => textsAt(schema, 'type').includes('array') || 'items' in schema,
    );
    if (lists.length === 0) return undefined;
    const items = lists.map((schema) => schema['items']).filter(isRecord);
    const item = oneOf('items', items.flatMap(annotationOf), 'name') ?? ITEM;
    requireName('items', item);
    return { item, shape: items.length === 0 ? () => ANY : lazily(() => shapeOf(items)) };
  }

  /** The annotation at an item, or at the component that the item is. */
  function annotationOf(item: Schema): readonly Schema[] {
    const [reference] = textsAt(item, '$ref');
    const component = reference === undefined ? undefined : referred(document, reference);
    return [item['xml'] ?? component?.['xml']].filter(isRecord);
  }

  return (schema) => shapeOf([schema]);
}

function lazily(make: Lazy): Lazy {
  let made: XmlShape | undefined;
  return () => (made ??= make());
}

/** The one text that annotations have at a key. @throws Error if they have several */
function oneOf(key: string, annotations: readonly Schema[], name: string): string | undefined {
  const [first, ...others] = new Set(annotations.flatMap((one) => textsAt(one, name)));
  if (others.length > 0)
    throw new Error(`the contract has two names in XML for ${key}: ${first} and ${others[0]}`);
  return first;
}

const OWN_NAME = /^(?!xml)[A-Za-z_][\w.-]*$/i;
const RESERVED = new Set([ENTRY, OTHERS]);
const RESERVED_ATTRIBUTES = new Set([HINT, KEY, JSON_KEY]);

function requireName(key: string, element: string): void {
  if (!OWN_NAME.test(element) || RESERVED.has(element))
    throw new Error(`the contract gives ${key} the name ${element}, which no element can have`);
}

function namesOf(
  properties: ReadonlyMap<string, PropertyShape>,
  isMeant: (property: PropertyShape) => boolean,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [key, property] of properties) {
    if (!isMeant(property)) continue;
    if (names.has(property.element))
      throw new Error(`the contract has two properties with the name ${property.element} in XML`);
    names.set(property.element, key);
  }
  return names;
}

/** Formats whose texts have no space around them. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'xs:dateTime',
  uri: 'xs:anyURI',
  uuid: 'xs:token',
};

function scalarsOf(schemas: readonly Schema[]): Scalars {
  const types = new Set(schemas.flatMap(typesOf));
  const texts = schemas.filter((schema) => typesOf(schema).includes('string'));
  return {
    text: types.has('string'),
    number: types.has('number') || types.has('integer'),
    truth: types.has('boolean'),
    nothing: types.has('null'),
    trimmed: texts.length > 0 && texts.every((one) => textType(one).base !== 'xs:string'),
    simple: mergedTypes(schemas.flatMap(simpleTypes)),
  };
}

function typesOf(schema: Schema): readonly string[] {
  if ('type' in schema) return textsAt(schema, 'type');
  const words: unknown = schema['enum'] ?? ('const' in schema ? [schema['const']] : []);
  return Array.isArray(words) ? words.map((word) => (word === null ? 'null' : typeof word)) : [];
}

function simpleTypes(schema: Schema): readonly SimpleType[] {
  return typesOf(schema).flatMap((type): readonly SimpleType[] => {
    switch (type) {
      case 'string':
        return [textType(schema)];
      case 'integer':
        return [{ base: 'xs:integer' }];
      case 'number':
        return [{ base: 'xs:double' }];
      case 'boolean':
        return [{ base: 'xs:boolean' }];
      default:
        return [];
    }
  });
}

/** One type for each base; a text of any words takes in the words of others. */
function mergedTypes(types: readonly SimpleType[]): readonly SimpleType[] {
  return [...Map.groupBy(types, ({ base }) => base)].map(([base, all]) => {
    const words = all.map((one) => one.words);
    return words.every((one) => one !== undefined)
      ? { base, words: [...new Set(words.flat())] }
      : { base };
  });
}

function textType(schema: Schema): SimpleType {
  const words = 'const' in schema ? [schema['const']] : schema['enum'];
  if (Array.isArray(words))
    return { base: 'xs:token', words: words.filter((word) => typeof word === 'string') };
  const { format } = schema;
  const base = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : '';
  return { base: base === undefined || base === '' ? 'xs:string' : base };
}
