import { isRecord } from '../words/record.ts';

/** A schema object of the contract. */
export type Schema = Readonly<Record<string, unknown>>;

/** The schema at a reference such as `#/components/schemas/Ask`. @throws Error if there is none */
export function referred(document: object, reference: string): Schema {
  const found = reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);
  if (!isRecord(found)) throw new Error(`the contract has no ${reference}`);
  return found;
}

/** The last part of a reference, such as `Ask`. */
export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference;
}

/** The texts at a key of a schema, such as `required`. */
export function textsAt(schema: Schema, key: string): readonly string[] {
  const value = schema[key];
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
}

/** The schemas at a key of a schema, such as `oneOf`. */
export function schemasAt(schema: Schema, key: string): readonly Schema[] {
  const value = schema[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Everything that says something of the values of schemas, in all alternatives and subtypes. */
export function leavesOf(document: object, schemas: readonly Schema[]): readonly Schema[] {
  const visited = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (visited.has(schema)) return;
    visited.add(schema);
    for (const reference of [...textsAt(schema, '$ref'), ...subtypesOf(schema)])
      visit(referred(document, reference));
    for (const key of ALTERNATIVES) for (const part of schemasAt(schema, key)) visit(part);
  };
  for (const schema of schemas) visit(schema);
  return [...visited].filter((schema) => isLeaf(schema) || allowsAnything(schema));
}

/** The keys that every value of a schema has. */
export function requiredOf(document: object, schema: Schema): ReadonlySet<string> {
  const all = new Set<string>(textsAt(schema, 'required'));
  const add = (more: Iterable<string>): void => {
    for (const key of more) all.add(key);
  };
  if (typeof schema['$ref'] === 'string')
    add(requiredOf(document, referred(document, schema['$ref'])));
  for (const part of schemasAt(schema, 'allOf')) add(requiredOf(document, part));
  for (const key of ['anyOf', 'oneOf']) {
    const [first, ...others] = schemasAt(schema, key).map((part) => requiredOf(document, part));
    if (first !== undefined)
      add([...first].filter((one) => others.every((other) => other.has(one))));
  }
  return all;
}

const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf'];
const ELSEWHERE = ['$ref', 'required', 'discriminator', ...ALTERNATIVES];
const HERE = ['type', 'properties', 'items', 'enum', 'const', 'additionalProperties'];

/** Does a schema without any keyword allow every value? One with references says more there. */
export function allowsAnything(schema: Schema): boolean {
  return !isLeaf(schema) && !ELSEWHERE.some((key) => key in schema);
}

function isLeaf(schema: Schema): boolean {
  return HERE.some((key) => key in schema);
}

/** References to the schemas that a discriminator tells apart. */
function subtypesOf({ discriminator }: Schema): readonly string[] {
  const mapping = isRecord(discriminator) ? discriminator['mapping'] : undefined;
  return isRecord(mapping) ? Object.values(mapping).filter((one) => typeof one === 'string') : [];
}
