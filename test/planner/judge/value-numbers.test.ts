import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openValueNumbers } from '../../../src/planner/judge/value-numbers.ts';

const leaf = fc.constantFrom<unknown>(
  0,
  1,
  Infinity,
  Number.NaN,
  '',
  '0',
  '1 2',
  null,
  undefined,
  true,
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
    fc.array(fc.tuple(leaf, tie('value')), { maxLength: 2 }).map((list) => new Map(list)),
    fc.array(leaf, { maxLength: 3 }).map((list) => new Set(list)),
  ),
}));

test('values have the same number if and only if they are equal, keys in the same order', () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 2, maxLength: 12 }), (values) => {
      const numberOf = openValueNumbers();
      const numbers = values.map(numberOf);
      for (const [at, one] of values.entries())
        for (const [other, another] of values.entries())
          expect([one, another, numbers[at] === numbers[other]]).toEqual([
            one,
            another,
            isDeepStrictEqual(listed(one), listed(another)),
          ]);
    }),
  );
});

test('what cannot be compared by its contents is equal to itself alone', () => {
  const numberOf = openValueNumbers();
  class Secret {
    readonly #value: number;
    constructor(given: number) {
      this.#value = given;
    }
    tell = (): number => this.#value;
  }
  const make = (given: number) => () => given;
  const own: { self?: object } = {};
  own.self = own;
  const values = [new Secret(1), new Secret(1), make(1), make(1), own];
  expect(new Set(values.map((one) => numberOf([one]))).size).toBe(values.length);
  expect(values.map((one) => numberOf([one]))).toEqual(values.map((one) => numberOf([one])));
});

/** Maps, sets and objects as lists, so that their order counts. */
function listed(given: unknown): unknown {
  if (Array.isArray(given)) return ['list', ...given.map(listed)];
  if (given instanceof Map) return ['map', ...[...given].map(listed)];
  if (given instanceof Set) return ['set', ...given];
  if (typeof given !== 'object' || given === null) return given;
  return ['object', ...Object.entries(given).map(listed)];
}
