import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { contractFaults } from '../harness/contract.ts';

const contract = Object(
  load(readFileSync(new URL('../../api/openapi.yaml', import.meta.url), 'utf8')),
);

type Example = readonly [place: string, schema: string, document: unknown];

/** Every example of the contract; YAML examples are text, as a client sends or gets them. */
function examplesBelow(value: unknown, place: string): readonly Example[] {
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

describe('the contract', () => {
  const examples = examplesBelow(contract.paths, '');

  test('has examples for asking, answering and accepting', () => {
    expect(examples.length).toBeGreaterThanOrEqual(7);
  });

  test.each(examples)('keeps its own promises in the example at %s', (_, schema, document) => {
    expect(contractFaults(schema, document)).toEqual([]);
  });
});
