import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { XmlDocument as Parsed, XsdValidator } from 'libxml2-wasm';
import { isRecord } from '../../src/words/record.ts';
import { writeXml } from '../../src/xml/document.ts';
import { leavesOf, referred, textsAt, type Schema } from '../../src/xml/leaves.ts';
import { openMapping } from '../../src/xml/mapping.ts';
import { printXsd } from '../../src/xml/xsd.ts';
import { contract, contractFaults } from '../harness/contract.ts';
import { examplesBelow } from '../http/examples.ts';
import { valuesOf } from './values.ts';

/**
 * Values of each document: a document of a broker takes 30 ms, and each run of the tests has others.
 * 200 with `PLANNER_LONG_TESTS=1`.
 */
const RUNS = process.env['PLANNER_LONG_TESTS'] === '1' ? 200 : 40;
const { documents } = openMapping(contract);
const validators = new Map(
  documents.map((one) => {
    const parsed = Parsed.fromString(printXsd(one));
    const validator = XsdValidator.fromDoc(parsed);
    parsed.dispose();
    return [one.schema, validator] as const;
  }),
);
afterAll(() => {
  for (const validator of validators.values()) validator.dispose();
});

/** Why a document does not fit its XML Schema; undefined when it does. */
function faultOf(schema: string, xml: string): string | undefined {
  const parsed = Parsed.fromString(xml);
  try {
    validators.get(schema)?.validate(parsed);
    return undefined;
  } catch (error) {
    return `${String(error)} in ${xml}`;
  } finally {
    parsed.dispose();
  }
}

describe('the contract in XML', () => {
  test('has the documents of the conversation, by the roots of the drafts', () => {
    const roots = Object.fromEntries(documents.map(({ schema, root }) => [schema, root]));
    expect(roots).toMatchObject({
      Ask: 'request',
      Answer: 'response',
      Offer: 'offer',
      OfferUpdate: 'offer',
      Problem: 'problem',
    });
  });

  test('says of every list that an element is around it, and the name of its items', () => {
    const lists: string[] = [];
    const seen = new Set<Schema>();
    const visit = (schema: unknown, place: string): void => {
      if (!isRecord(schema) || seen.has(schema)) return;
      seen.add(schema);
      for (const leaf of leavesOf(contract, [schema])) {
        const { items, properties, additionalProperties, xml } = leaf;
        if (isRecord(items)) {
          const [reference] = textsAt(items, '$ref');
          const item = items['xml'] ?? (reference && referred(contract, reference)['xml']);
          if (Object(xml).wrapped !== true || typeof Object(item).name !== 'string')
            lists.push(place);
          visit(items, `${place}[]`);
        }
        for (const [key, one] of Object.entries(Object(properties))) visit(one, `${place}.${key}`);
        visit(additionalProperties, `${place}.*`);
      }
    };
    for (const { schema } of documents) visit({ $ref: `#/components/schemas/${schema}` }, schema);
    expect(seen.size).toBeGreaterThan(100);
    expect(lists).toEqual([]);
  });

  const examples = examplesBelow(Object(contract).paths, '');
  const inXml = examples.flatMap(([place, schema, example]) => {
    const document = documents.find(
      (one) =>
        one.schema === schema ||
        (one.isWrapped && Object.keys(Object(example)).join() === one.root),
    );
    return document === undefined ? [] : [[place, document, example] as const];
  });

  test('has examples', () => {
    expect(inXml.length).toBeGreaterThan(8);
  });

  test.each(inXml)('has a schema that its example fits: %s', (_, document, example) => {
    expect(faultOf(document.schema, writeXml(example, document))).toBeUndefined();
  });

  test.each(documents.map((one) => [one.schema, one] as const))(
    'has a schema that every %s of the contract fits',
    (schema, document) => {
      const values = valuesOf([{ $ref: `#/components/schemas/${schema}` }], true);
      let fitting = 0;
      fc.assert(
        fc.property(values, (value) => {
          if (contractFaults(schema, value).length > 0) return;
          const xml = writeXml(document.isWrapped ? { [document.root]: value } : value, document);
          fitting += 1;
          expect(faultOf(schema, xml)).toBeUndefined();
        }),
        { numRuns: RUNS },
      );
      expect(fitting).toBeGreaterThan(0);
    },
  );
});
