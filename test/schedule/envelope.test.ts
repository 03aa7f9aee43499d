import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { shortages, type Amount } from '../../src/schedule/amount.ts';
import { envelope } from '../../src/schedule/envelope.ts';
import type { Taken } from '../../src/schedule/profile.ts';
import { freeDuring } from '../harness/free.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';

const amounts: fc.Arbitrary<Amount> = fc.record({
  cores: fc.integer({ min: 0, max: 8 }).map(millicores),
  memory: fc.integer({ min: 0, max: 8 }).map(mebibytes),
  scratch: fc.integer({ min: 0, max: 8 }).map(mebibytes),
  gpus: fc.option(
    fc.record({ type: fc.constant('urn:gpu'), count: fc.integer({ min: 1, max: 4 }) }),
    { nil: undefined },
  ),
});
const takens: fc.Arbitrary<Taken[]> = fc.array(
  fc
    .record({
      start: fc.integer({ min: 0, max: 30 }),
      length: fc.integer({ min: 1, max: 10 }),
      amount: amounts,
    })
    .map(({ start, length, amount }) => ({ during: { start, end: start + length }, amount })),
  { maxLength: 8 },
);
function at(list: readonly Taken[], moment: number): readonly Amount[] {
  return list
    .filter(({ during }) => during.start <= moment && moment < during.end)
    .map(({ amount }) => amount);
}

describe("the hold of one answer's offers", () => {
  test('is at every instant the element-wise maximum of the alternatives, never their sum', () => {
    fc.assert(
      fc.property(takens, (alternatives) => {
        const holds = envelope(alternatives);
        for (let moment = 0; moment <= 41; moment += 1) {
          const offered = at(alternatives, moment);
          const held = at(holds, moment);
          expect(held.length).toBe(offered.length === 0 ? 0 : 1);
          const most = (of: (amount: Amount) => number, list: readonly Amount[]): number =>
            Math.max(0, ...list.map(of));
          for (const part of [
            (a: Amount) => a.cores,
            (a: Amount) => a.memory,
            (a: Amount) => a.scratch,
            (a: Amount) => a.gpus?.count ?? 0,
          ]) {
            expect(most(part, held)).toBe(most(part, offered));
          }
        }
      }),
    );
  });

  test('has no two neighbours that could be one', () => {
    const amount = {
      cores: millicores(1),
      memory: mebibytes(1),
      scratch: mebibytes(1),
      gpus: undefined,
    };
    const holds = envelope([
      { during: { start: 0, end: 5 }, amount },
      { during: { start: 2, end: 9 }, amount },
    ]);
    expect(holds).toEqual([{ during: { start: 0, end: 9 }, amount }]);
  });
});

describe('the free capacity during a window', () => {
  const has = { cores: 20, memory: 20, scratch: 20, gpus: new Map([['urn:gpu', 6]]) };

  test('is exactly the least that is free at any instant of it', () => {
    fc.assert(
      fc.property(
        takens,
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 12 }),
        (taken, start, length) => {
          const free = freeDuring(has, taken, { start, end: start + length });
          const moments = Array.from({ length }, (_, offset) => at(taken, start + offset));
          const most = (of: (amount: Amount) => number): number =>
            Math.max(...moments.map((list) => list.reduce((sum, one) => sum + of(one), 0)));
          expect(free.cores).toBe(20 - most((one) => one.cores));
          expect(free.memory).toBe(20 - most((one) => one.memory));
          expect(free.scratch).toBe(20 - most((one) => one.scratch));
          expect(free.gpus.get('urn:gpu')).toBe(6 - most((one) => one.gpus?.count ?? 0));
        },
      ),
    );
  });

  test('names every resource that is short with both numbers, not only the first', () => {
    const amount = {
      cores: millicores(21),
      memory: mebibytes(5),
      scratch: mebibytes(99),
      gpus: { type: 'urn:other', count: 1 },
    };
    expect(shortages(amount, has)).toEqual([
      { resource: 'cores', asked: 21, limit: 20 },
      { resource: 'scratch', asked: 99, limit: 20 },
      { resource: 'gpus', asked: 1, limit: 0 },
    ]);
  });
});
