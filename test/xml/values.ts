import fc, { type Arbitrary } from 'fast-check';
import { isRecord } from '../../src/words/record.ts';
import { isXmlText } from '../../src/xml/escape.ts';
import { leavesOf, requiredOf, textsAt, type Schema } from '../../src/xml/leaves.ts';
import { contract } from '../harness/contract.ts';

/** Texts that are hard to keep in XML. */
const HARD = [
  '',
  ' ',
  ' a ',
  '\n',
  '\r\n',
  'a\tb',
  'true',
  'false',
  'null',
  '1',
  '-0',
  '1e3',
  '0x1',
  'NaN',
  '<',
  '&amp;',
  ']]>',
  '"',
  "'",
  '\u0001',
  '\u001b[1m',
  '\uFFFE',
  '\u{1F600}',
  '\u007F',
  '\\u0041',
  'item',
  'entry',
  'others',
  'key',
  'json',
  'xml',
  'xmlns',
  'a b',
  'a:b',
  '1a',
  'é',
];
const texts = fc.oneof(fc.constantFrom(...HARD), fc.string({ unit: 'grapheme' }), fc.uuid());
const numbers = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e21, 1e-7, 2 ** 53),
);
// Forbidden keys are refused in every format.
const keys = texts.filter((key) => key !== '__proto__');

/** Any value of JSON, with hard texts and keys. */
export const anything: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(texts, numbers, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Below, exact values have only what the schema requires, and others end. */
const DEEP = 6;

/**
 * Values of a schema.
 *
 * @param exact false: also values that are nearly of it
 */
export function valuesOf(schemas: readonly Schema[], exact = false, level = 0): Arbitrary<unknown> {
  if (level > DEEP && !exact) return fc.constant('deep');
  const fitting = leavesOf(contract, schemas).map((leaf) => valueOf(leaf, schemas, exact, level));
  return exact
    ? fc.oneof(...fitting)
    : fc.oneof(...fitting.map((arbitrary) => ({ weight: 12, arbitrary })), {
        weight: 1,
        arbitrary: anything,
      });
}

function valueOf(
  schema: Schema,
  schemas: readonly Schema[],
  exact: boolean,
  level: number,
): Arbitrary<unknown> {
  const { enum: words, items, properties, minItems } = schema;
  if (Array.isArray(words)) return fc.constantFrom(...words);
  if (isRecord(items)) {
    const minLength = typeof minItems === 'number' ? minItems : 0;
    const maxLength = level > DEEP ? minLength : 3;
    return maxLength === 0
      ? fc.constant([])
      : fc.array(valuesOf([items], exact, level + 1), { minLength, maxLength });
  }
  const types = textsAt(schema, 'type');
  if (isRecord(properties) || types.includes('object'))
    return recordOf(schema, schemas, exact, level);
  if (types.length === 0) return anything;
  return fc.oneof(...types.map((type) => ofType(type, schema, exact)));
}

function recordOf(
  schema: Schema,
  schemas: readonly Schema[],
  exact: boolean,
  level: number,
): Arbitrary<unknown> {
  const { properties, additionalProperties } = schema;
  const required = schemas.flatMap((one) => [...requiredOf(contract, one)]);
  const needed = new Set([...textsAt(schema, 'required'), ...required]);
  const known = Object.entries(isRecord(properties) ? properties : {})
    .filter(([key]) => level <= DEEP || needed.has(key))
    .map(([key, one]) => [key, valuesOf(isRecord(one) ? [one] : [], exact, level + 1)] as const);
  const requiredKeys = exact ? known.map(([key]) => key).filter((key) => needed.has(key)) : [];
  const rest = isRecord(additionalProperties)
    ? valuesOf([additionalProperties], exact, level + 1)
    : anything;
  const isClosed = exact && additionalProperties === false;
  return fc
    .tuple(
      fc.record(Object.fromEntries(known), { requiredKeys }),
      fc.dictionary(keys, rest, { maxKeys: isClosed ? 0 : 2 }),
    )
    .map(([one, more]) => ({ ...more, ...one }));
}

function ofType(type: string, schema: Schema, exact: boolean): Arbitrary<unknown> {
  const { minimum } = schema;
  const least = typeof minimum === 'number' ? { min: minimum } : {};
  switch (type) {
    case 'string':
      return exact ? textOf(schema) : texts;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
      return exact ? fc.integer(least) : numbers;
    case 'number':
      return exact ? fc.double({ ...least, noNaN: true, noDefaultInfinity: true }) : numbers;
    default:
      return anything;
  }
}

function textOf({ format, maxLength }: Schema): Arbitrary<string> {
  switch (format) {
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc.integer({ min: 0, max: 4e12 }).map((time) => new Date(time).toISOString());
    case 'uri':
      return fc.webUrl();
    default:
      return texts.map((text) => text.slice(0, Number(maxLength ?? 100))).filter(isXmlText);
  }
}
