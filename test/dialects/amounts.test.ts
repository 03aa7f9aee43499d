import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  noteCores,
  noteSize,
  type ReadFault,
  type Notes,
} from '../../src/dialects/reading/notes.ts';
import { printDuration } from '../../src/dialects/duration.ts';
import { readLength } from '../../src/dialects/reading/time.ts';
import { parseDuration } from '../../src/words/iso8601.ts';
import type { Bound } from '../../src/words/units.ts';

function size(value: string | number, bound?: Bound) {
  return reading((notes) => noteSize(notes, value, 'x', bound));
}

function reading<Value>(read: (notes: Notes) => Value): Value | string {
  const refusals: ReadFault[] = [];
  const value = read({ note: (refusal) => void refusals.push(refusal), isFull: () => false });
  return refusals.length === 0 ? value : refusals.map(({ code, path }) => `${code} ${path}`).join();
}

function cores(value: number, bound: Bound) {
  return reading((notes) => noteCores(notes, value, 'x', bound));
}

describe('an amount of an ask', () => {
  test.each([
    ['1B', 1, 'amount-not-positive x'],
    ['500KiB', 1, 'amount-not-positive x'],
    ['1.9MiB', 2, 1],
    ['1048577B', 2, 1],
    [0.001, 2, 1],
    ['2MiB', 2, 2],
  ])('%p is %p MiB as a minimum, and %p as a maximum', (text, least, most) => {
    expect([size(text), size(text, 'least'), size(text, 'most')]).toEqual([least, least, most]);
  });

  test.each([
    [1.0004, 1001, 1000],
    [0.0001, 1, 'amount-not-positive x'],
    [0.5, 500, 500],
  ])('of %p cores is %p millicores as a minimum, and %p as a maximum', (value, least, most) => {
    expect([cores(value, 'least'), cores(value, 'most')]).toEqual([least, most]);
  });
});

describe('a duration', () => {
  test.each([
    [864_000, 'P10D'],
    [5400, 'PT1H30M'],
    [604_800, 'P7D'],
    [90_061, 'P1DT1H1M1S'],
    [1, 'PT1S'],
    [0, 'PT0S'],
  ])('of %d s is printed %s, without weeks', (seconds, text) => {
    expect(printDuration(seconds)).toBe(text);
  });

  test('is read back as it is printed, as a minimum and as a maximum', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
        (seconds) => {
          const text = printDuration(seconds);
          expect([
            parseDuration(text),
            reading((notes) => readLength(notes, text, 'x')),
            reading((notes) => readLength(notes, text, 'x', 'most')),
          ]).toEqual([{ ok: true, value: seconds }, seconds, seconds]);
        },
      ),
    );
  });
});
