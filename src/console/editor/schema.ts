/** A JSON Schema, of which the console reads a part. */
export type Schema = Readonly<Record<string, unknown>>;

/** What an ask can be: the contract's schemas, and what the site knows better at some paths. */
export type AskSchemas = {
  /** `components.schemas` of the contract */
  readonly named: Schema;
  /** by path, for example `task.spec`; an item of a list is `[]` */
  readonly known: Readonly<Record<string, Schema>>;
};

/** A key that is possible, with its schemas. */
export type PossibleKey = { readonly name: string; readonly schemas: readonly Schema[] };

/** A value that is possible; `about` is empty where nothing is said of it. */
export type PossibleValue = { readonly value: unknown; readonly about: string };

/** The alternatives at a path of an ask; none where anything may be. */
export function schemasAt({ named, known }: AskSchemas, path: readonly string[]): Schema[] {
  let found = opened({ $ref: '#/components/schemas/Ask' }, named);
  for (const [index, step] of path.entries()) {
    const here = known[path.slice(0, index + 1).join('.')];
    found =
      here === undefined
        ? found.flatMap((schema) => opened(stepOf(schema, step), named))
        : opened(here, named);
  }
  return found;
}

/** The keys that mappings of these schemas can have. */
export function keysOf(schemas: readonly Schema[], { named }: AskSchemas): PossibleKey[] {
  const keys = new Map<string, Schema[]>();
  for (const schema of schemas)
    for (const [name, part] of Object.entries(fieldsOf(schema['properties'])))
      keys.set(name, [...(keys.get(name) ?? []), ...opened(part, named)]);
  return [...keys].map(([name, found]) => ({ name, schemas: found }));
}

/** The values that are named: of an enumeration, a constant, and of truth. */
export function valuesOf(schemas: readonly Schema[]): PossibleValue[] {
  return schemas.flatMap((schema) => {
    if ('const' in schema) return [{ value: schema['const'], about: aboutOf([schema]) }];
    const { enum: values, type } = schema;
    const all = Array.isArray(values) ? values : type === 'boolean' ? [true, false] : [];
    return all.map((value: unknown) => ({ value, about: '' }));
  });
}

/** The first sentence that schemas have for people. */
export function aboutOf(schemas: readonly Schema[]): string {
  const texts = schemas.flatMap(({ description, title }) => description ?? title ?? []);
  const first = texts.find((text) => typeof text === 'string') ?? '';
  return (
    first
      .replaceAll('`', '')
      .split(/(?<=\w)[.;](?:\s|$)|\n\n/)[0]
      ?.trim() ?? ''
  );
}

/** Does any of them have this type, or what only this type has? */
export function isSome(schemas: readonly Schema[], type: 'object' | 'array'): boolean {
  const own = type === 'object' ? 'properties' : 'items';
  return schemas.some((schema) => schema['type'] === type || own in schema);
}

/** Follows references, and takes alternatives apart. */
function opened(schema: unknown, named: Schema): Schema[] {
  const { $ref, anyOf, oneOf, allOf, ...own } = fieldsOf(schema);
  const parts = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [
    ...(typeof $ref === 'string' ? opened(named[$ref.split('/').at(-1) ?? ''], named) : []),
    ...(Object.keys(own).length === 0 ? [] : [own]),
    ...parts.flatMap((part) => opened(part, named)),
  ];
}

function stepOf(schema: Schema, step: string): unknown {
  if (step === '[]') return schema['items'];
  return fieldsOf(schema['properties'])[step] ?? fieldsOf(schema['additionalProperties']);
}

function fieldsOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
