import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readXml, writeXml } from '../../src/xml/document.ts';
import { openMapping, type XmlDocument } from '../../src/xml/mapping.ts';
import { contract } from '../harness/contract.ts';
import { anything, valuesOf } from './values.ts';

/**
 * Values of each document: a document of a broker takes 30 ms, and each run of the tests has others.
 * 300 with `PLANNER_LONG_TESTS=1`.
 */
const RUNS = process.env['PLANNER_LONG_TESTS'] === '1' ? 300 : 60;
const { documents } = openMapping(contract);
const named = documents.map((one) => [one.schema, one] as const);

function wrapped(value: unknown, { isWrapped, root }: XmlDocument): unknown {
  return isWrapped ? { [root]: value } : value;
}

describe('a document of the contract comes back from XML as it was', () => {
  test.each(named)('%s', (schema, document) => {
    const near = valuesOf([{ $ref: `#/components/schemas/${schema}` }]);
    fc.assert(
      fc.property(fc.oneof(near, near, anything), (value) => {
        const whole = wrapped(value, document);
        const xml = writeXml(whole, document);
        expect(readXml(xml, [document])).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });

  test('and so does a document that no contract has', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(readXml(writeXml({ ask: value }, undefined), [])).toEqual({ ask: value });
      }),
      { numRuns: RUNS },
    );
  });
});
