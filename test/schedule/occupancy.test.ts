import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Capacity } from '../../src/schedule/amount.ts';
import { occupancy } from '../../src/schedule/occupancy.ts';
import type { Reserved } from '../../src/schedule/reserved.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';

const MINUTE = 60_000;
const RANGE = { start: 0, end: 240 * MINUTE };
const HAS: Capacity = { cores: 8000, memory: 8192, scratch: 8192, gpus: new Map([['urn:gpu', 2]]) };

const reservation = fc
  .record({
    state: fc.constantFrom<Reserved['state'][]>('held', 'firm'),
    start: fc.integer({ min: 0, max: 239 }),
    length: fc.integer({ min: 1, max: 120 }),
    cores: fc.integer({ min: 0, max: 4000 }),
    gpus: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ state, start, length, cores, gpus }): Reserved => ({
    state,
    during: { start: start * MINUTE, end: Math.min(RANGE.end, (start + length) * MINUTE) },
    amount: {
      cores: millicores(cores),
      memory: mebibytes(cores),
      scratch: mebibytes(0),
      gpus: gpus === 0 ? undefined : { type: 'urn:gpu', count: gpus },
    },
  }));

function sumAt(list: readonly Reserved[], state: Reserved['state'], at: number): number {
  return list
    .filter((one) => one.state === state && one.during.start <= at && at < one.during.end)
    .reduce((sum, { amount }) => sum + amount.cores, 0);
}

describe("a destination's calendar", () => {
  test('covers its range without a gap, and shows at every minute what the reservations add up to', () => {
    fc.assert(
      fc.property(fc.array(reservation, { maxLength: 30 }), (list) => {
        const steps = occupancy(HAS, list, [], RANGE, 1000);
        expect([steps[0]?.during.start, steps.at(-1)?.during.end]).toEqual([
          RANGE.start,
          RANGE.end,
        ]);
        steps
          .slice(1)
          .forEach((step, index) => expect(step.during.start).toBe(steps[index]?.during.end));
        for (let at = 0; at < RANGE.end; at += MINUTE) {
          const step = steps.find(({ during }) => during.start <= at && at < during.end);
          const [held, firm] = [sumAt(list, 'held', at), sumAt(list, 'firm', at)];
          expect([step?.held.cores, step?.firm.cores, step?.free.cores]).toEqual([
            held,
            firm,
            Math.max(0, 8000 - held - firm),
          ]);
        }
      }),
    );
  });

  test('is coarser above its maximum of steps, and never overstates free or understates reserved', () => {
    fc.assert(
      fc.property(
        fc.array(reservation, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (list, most) => {
          const steps = occupancy(HAS, list, [], RANGE, most);
          expect(steps.length).toBeLessThanOrEqual(most);
          expect([steps[0]?.during.start, steps.at(-1)?.during.end]).toEqual([
            RANGE.start,
            RANGE.end,
          ]);
          for (let at = 0; at < RANGE.end; at += MINUTE) {
            const step = steps.find(({ during }) => during.start <= at && at < during.end);
            const [held, firm] = [sumAt(list, 'held', at), sumAt(list, 'firm', at)];
            expect(step?.held.cores).toBeGreaterThanOrEqual(held);
            expect(step?.firm.cores).toBeGreaterThanOrEqual(firm);
            expect(step?.free.cores).toBeLessThanOrEqual(Math.max(0, 8000 - held - firm));
          }
        },
      ),
    );
  });

  test('has nothing free during full maintenance, and what still runs then stays firm', () => {
    const firm: Reserved = {
      state: 'firm',
      during: RANGE,
      amount: {
        cores: millicores(2000),
        memory: mebibytes(0),
        scratch: mebibytes(0),
        gpus: undefined,
      },
    };
    const during = { start: 60 * MINUTE, end: 120 * MINUTE };
    const closed = [
      {
        during,
        amount: {
          cores: millicores(8000),
          memory: mebibytes(8192),
          scratch: mebibytes(8192),
          gpus: undefined,
        },
      },
    ];
    expect(
      occupancy(HAS, [firm], closed, RANGE, 1000).map(({ free, firm: { cores } }) => [
        free.cores,
        free.memory,
        cores,
      ]),
    ).toEqual([
      [6000, 8192, 2000],
      [0, 0, 2000],
      [6000, 8192, 2000],
    ]);
  });
});
