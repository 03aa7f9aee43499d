import fc from 'fast-check';
import { isRecord } from '../../src/words/record.ts';
import { contract } from '../harness/contract.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Below this depth objects have only what they need; schemas contain themselves. */
const DEPTH = 5;

/**
 * Documents that a schema of api/openapi.yaml allows, but for lengths, patterns and conditions.
 *
 * @param words texts that mean something there; others are by chance
 */
export function documentsOf(name: string, words: readonly string[]): fc.Arbitrary<unknown> {
  return valuesOf(named(name), words, 0);
}

/** A document with a part by chance, in place of one that it has or where it has none. */
export function withFault(document: unknown, words: readonly string[]): fc.Arbitrary<unknown> {
  const places = placesIn(document);
  return fc
    .record({
      place: fc.nat(places.length - 1),
      value: fc.oneof(anyJson(words), fc.constant(GONE)),
    })
    .map(({ place, value }) => replaced(document, places[place] ?? [], value));
}

/** Stands for a part that is left out. */
const GONE = Symbol('gone');

function named(name: string): Schema {
  const schema: unknown = Object(contract).components.schemas[name];
  if (!isRecord(schema)) throw new Error(`the contract has no schema ${name}`);
  return schema;
}

function valuesOf(schema: Schema, words: readonly string[], depth: number): fc.Arbitrary<unknown> {
  const { $ref: reference, type, anyOf, oneOf, items } = schema;
  if (typeof reference === 'string')
    return valuesOf(named(reference.split('/').at(-1) ?? ''), words, depth);
  const values = schema['enum'];
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices))
    return fc.oneof(...choices.filter(isRecord).map((one) => valuesOf(one, words, depth)));
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return texts(words);
    case 'integer':
    case 'number':
      return numbers();
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valuesOf(isRecord(items) ? items : {}, words, depth + 1), {
        maxLength: depth < DEPTH ? 3 : 0,
      });
    case 'object':
      return objectsOf(schema, words, depth);
    default:
      return anyJson(words);
  }
}

function objectsOf(schema: Schema, words: readonly string[], depth: number): fc.Arbitrary<unknown> {
  const { properties, required, additionalProperties } = schema;
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  const known = Object.entries(Object(properties)).filter(
    ([key, value]) => isRecord(value) && (depth < DEPTH || needed.has(key)),
  );
  const model = Object.fromEntries(
    // Parts may refer to each other in circles: they are made when they are wanted.
    known.map(([key, value]) => {
      const of = fc.constant(undefined).chain(() => valuesOf(Object(value), words, depth + 1));
      return [key, needed.has(key) ? of : fc.option(of, { nil: GONE, freq: 1 })];
    }),
  );
  const extra = isRecord(additionalProperties)
    ? valuesOf(additionalProperties, words, depth + 1)
    : anyJson(words);
  return fc
    .record({ own: fc.record(model), more: fc.dictionary(texts(words), extra, { maxKeys: 1 }) })
    .map(({ own, more }) => ({
      ...(additionalProperties === false ? {} : more),
      ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== GONE)),
    }));
}

function texts(words: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  );
}

function numbers(): fc.Arbitrary<number> {
  return fc.oneof(
    fc.constantFrom(0, 1, 2, 8, -1, 0.5, 1e9, 2 ** 31, 2 ** 53, 1e300),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
}

function anyJson(words: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(texts(words), numbers(), fc.jsonValue({ maxDepth: 2 }));
}

type Place = readonly (string | number)[];

/** Where a document has parts. */
function placesIn(value: unknown, here: Place = []): readonly Place[] {
  const entries: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [index, item])
    : isRecord(value)
      ? Object.entries(value)
      : [];
  return [here, ...entries.flatMap(([key, child]) => placesIn(child, [...here, key]))];
}

function replaced(document: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value === GONE ? {} : value;
  if (Array.isArray(document))
    return document.flatMap((item, index) =>
      index !== key ? [item] : isEnd(rest, value) ? [] : [replaced(item, rest, value)],
    );
  return Object.fromEntries(
    Object.entries(Object(document)).flatMap(([name, child]) =>
      name !== key
        ? [[name, child]]
        : isEnd(rest, value)
          ? []
          : [[name, replaced(child, rest, value)]],
    ),
  );
}

function isEnd(rest: Place, value: unknown): boolean {
  return rest.length === 0 && value === GONE;
}
