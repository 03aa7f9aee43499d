import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Amount } from '../../src/schedule/amount.ts';
import { earliestFit, freeOverTime, mostFree, type Taken } from '../../src/schedule/profile.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { lasting } from '../harness/free.ts';

const HAS = { cores: 8, memory: 8, scratch: 8, gpus: new Map([['urn:gpu', 4]]) };
/** All reservations end before this. */
const LAST = 60;

function amounts(most: number): fc.Arbitrary<Amount> {
  return fc.record({
    cores: fc.integer({ min: 0, max: most }).map(millicores),
    memory: fc.integer({ min: 0, max: most }).map(mebibytes),
    scratch: fc.integer({ min: 0, max: most }).map(mebibytes),
    gpus: fc.option(
      fc.record({
        type: fc.constantFrom('urn:gpu', 'urn:gpu', 'urn:other'),
        count: fc.integer({ min: 1, max: 4 }),
      }),
      { nil: undefined },
    ),
  });
}
const takens: fc.Arbitrary<Taken[]> = fc.array(
  fc
    .record({
      start: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 0, max: 15 }),
      amount: amounts(4),
    })
    .map(({ start, length, amount }) => ({ during: { start, end: start + length }, amount })),
  { maxLength: 14 },
);
const ranges = fc
  .record({ earliest: fc.integer({ min: 0, max: 45 }), wide: fc.integer({ min: 0, max: 20 }) })
  .map(({ earliest, wide }) => ({ earliest, latest: earliest + wide }));

type Counted = { cores: number; memory: number; scratch: number; gpu: number };

/** The free capacity second by second: a model without any tested code. */
function model(taken: readonly Taken[]): readonly Counted[] {
  return Array.from({ length: LAST + 60 }, (_, at) => {
    const now = taken
      .filter(({ during }) => during.start <= at && at < during.end)
      .map(({ amount }) => amount);
    const left = (total: number, of: (amount: Amount) => number): number =>
      total - now.reduce((sum, one) => sum + of(one), 0);
    return {
      cores: left(8, (one) => one.cores),
      memory: left(8, (one) => one.memory),
      scratch: left(8, (one) => one.scratch),
      gpu: left(4, (one) => (one.gpus?.type === 'urn:gpu' ? one.gpus.count : 0)),
    };
  });
}

function fits(free: Counted, { cores, memory, scratch, gpus }: Amount): boolean {
  return (
    cores <= free.cores &&
    memory <= free.memory &&
    scratch <= free.scratch &&
    (gpus === undefined || (gpus.type === 'urn:gpu' && gpus.count <= free.gpu))
  );
}

describe('the earliest fit', () => {
  test('is the first start of the range at which all of it fits to the end, as counting shows', () => {
    fc.assert(
      fc.property(
        takens,
        amounts(8),
        ranges,
        fc.integer({ min: 1, max: 15 }),
        (taken, amount, range, length) => {
          const free = model(taken);
          const starts = Array.from(
            { length: range.latest - range.earliest + 1 },
            (_, index) => range.earliest + index,
          );
          const expected = starts.find((start) =>
            free.slice(start, start + length).every((one) => fits(one, amount)),
          );
          expect(earliestFit(freeOverTime(HAS, taken), amount, lasting(length), range)).toBe(
            expected,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('includes a lead before the start and an end that lies at or after a given instant', () => {
    fc.assert(
      fc.property(
        takens,
        amounts(8),
        ranges,
        fc.nat(5),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(60),
        (taken, amount, range, lead, length, notBefore) => {
          const free = model(taken);
          const end = (start: number): number => Math.max(start, notBefore) + length;
          const starts = Array.from(
            { length: range.latest - range.earliest + 1 },
            (_, index) => range.earliest + index,
          );
          const expected = starts.find((start) =>
            free.slice(Math.max(0, start - lead), end(start)).every((one) => fits(one, amount)),
          );
          const found = earliestFit(
            freeOverTime(HAS, taken),
            amount,
            { begin: (start) => start - lead, end },
            range,
          );
          expect(found).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is immediate where nothing is taken, and never where the whole is too small', () => {
    const amount = {
      cores: millicores(8),
      memory: mebibytes(8),
      scratch: mebibytes(8),
      gpus: { type: 'urn:gpu', count: 4 },
    };
    expect(
      earliestFit(freeOverTime(HAS, []), amount, lasting(1e9), { earliest: 7, latest: 7 }),
    ).toBe(7);
    expect(
      earliestFit(freeOverTime(HAS, []), { ...amount, cores: millicores(9) }, lasting(1), {
        earliest: 7,
        latest: 1e9,
      }),
    ).toBeUndefined();
  });
});

describe('the most that is free', () => {
  test('of each resource is the best of all starts, as counting shows', () => {
    fc.assert(
      fc.property(takens, ranges, fc.integer({ min: 1, max: 15 }), (taken, range, length) => {
        const free = model(taken);
        const starts = Array.from(
          { length: range.latest - range.earliest + 1 },
          (_, index) => range.earliest + index,
        );
        const best = (of: (one: Counted) => number): number =>
          Math.max(
            ...starts.map((start) => Math.min(...free.slice(start, start + length).map(of))),
          );
        const found = mostFree(freeOverTime(HAS, taken), lasting(length), range);
        expect(found).toMatchObject({
          cores: best((one) => one.cores),
          memory: best((one) => one.memory),
          scratch: best((one) => one.scratch),
        });
        expect(found.gpus.get('urn:gpu')).toBe(best((one) => one.gpu));
      }),
      { numRuns: 500 },
    );
  });
});
