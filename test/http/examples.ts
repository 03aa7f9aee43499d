import { load } from 'js-yaml';

/** A document of the contract, the name of its schema, and where it stands. */
export type Example = readonly [place: string, schema: string, document: unknown];

/** Every example of the contract; YAML examples are text, as a client sends or gets them. */
export function examplesBelow(value: unknown, place: string): readonly Example[] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema, example, examples } = Object(value);
  const named =
    example === undefined
      ? Object.entries(Object(examples)).map(([name, one]) => [name, Object(one).value] as const)
      : [['example', example] as const];
  const reference: unknown = schema?.$ref;
  const own =
    typeof reference === 'string'
      ? named.map(([name, one]): Example => [
          `${place} ${name}`,
          reference.split('/').at(-1) ?? '',
          typeof one === 'string' ? load(one) : one,
        ])
      : [];
  return [
    ...own,
    ...Object.entries(value)
      .filter(([key]) => key !== 'schema')
      .flatMap(([key, child]) => examplesBelow(child, `${place}/${key}`)),
  ];
}
