import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Row } from '../../../src/console/calendar/book.ts';
import { firstRoom, fits, roomsIn, type Need } from '../../../src/console/calendar/room.ts';
import { QUARTER, rowOf, rows, START } from './worlds.ts';

const needs = fc.record({
  cores: fc.integer({ min: 1, max: 8 }),
  memory: fc.integer({ min: 0, max: 16 }),
  gpu: fc.constant(undefined),
  hours: fc.integer({ min: 1, max: 24 }).map((quarters) => quarters / 4),
});

describe('the first room', () => {
  test('fits, and nothing sooner does', () => {
    fc.assert(
      fc.property(rows, needs, fc.nat({ max: 20 }), (row, need, late) => {
        const from = START + late * QUARTER;
        const found = firstRoom(row, need, from);
        const starts = Array.from({ length: 400 }, (_, index) => from + index * QUARTER);
        expect(found).toBe(starts.find((start) => isFree(row, need, start)));
      }),
    );
  });

  test('may last over several steps, and ends within them', () => {
    const row = rowOf([
      { quarters: 2, free: 8 },
      { quarters: 1, free: 3 },
      { quarters: 2, free: 5 },
      { quarters: 2, free: 4 },
    ]);
    const need = { cores: 4, memory: 8, gpu: undefined, hours: 1 };
    expect(firstRoom(row, need, START)).toBe(START + 3 * QUARTER);
    expect(firstRoom(row, { ...need, hours: 1.25 }, START)).toBeUndefined();
  });
});

describe('amounts', () => {
  test('are enough if cores, memory and GPUs of the type are', () => {
    const amounts = { cores: 4, memory: 8, scratch: 0, gpus: [{ type: 'a100', count: 2 }] };
    const need = { cores: 4, memory: 8, gpu: { type: 'a100', count: 2 }, hours: 1 };
    expect(fits(amounts, need)).toBe(true);
    expect(fits(amounts, { ...need, memory: 8.1 })).toBe(false);
    expect(fits(amounts, { ...need, gpu: { type: 'a100', count: 3 } })).toBe(false);
    expect(fits(amounts, { ...need, gpu: { type: 'h100', count: 1 } })).toBe(false);
    expect(fits({ cores: 4, memory: 8, scratch: 0 }, { ...need, gpu: undefined })).toBe(true);
  });
});

describe('rooms of a site', () => {
  test('have the earliest first, and tell who is full and who is too small', () => {
    const of = (destination: string, row: Row): Row => ({ ...row, destination });
    const rooms = roomsIn(
      {
        from: START,
        now: START,
        to: START + 9 * QUARTER,
        rows: [
          of(
            'late',
            rowOf([
              { quarters: 5, free: 0 },
              { quarters: 4, free: 8 },
            ]),
          ),
          of('small', rowOf([{ quarters: 9, free: 2 }], 2)),
          of('now', rowOf([{ quarters: 9, free: 8 }])),
          of('full', rowOf([{ quarters: 9, free: 1 }])),
        ],
      },
      { cores: 4, memory: 4, gpu: undefined, hours: 1 },
    );
    expect(rooms).toEqual({
      found: [
        { destination: 'now', start: START },
        { destination: 'late', start: START + 5 * QUARTER },
      ],
      full: ['full'],
      small: ['small'],
    });
  });
});

/** Is the need free in every quarter from this start, and is all of it within the steps? */
function isFree({ steps }: Row, need: Need, start: number): boolean {
  const quarters = Array.from({ length: need.hours * 4 }, (_, index) => start + index * QUARTER);
  return quarters.every((at) =>
    steps.some((step) => step.start <= at && at < step.end && fits(step.free, need)),
  );
}
