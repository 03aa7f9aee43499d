import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { amountOf, bookOf } from '../../../src/console/calendar/book.ts';
import { rowSentence } from '../../../src/console/calendar/picture/sentence.ts';
import { leastOf, stepAt } from '../../../src/console/calendar/picture/steps.ts';
import { QUARTER, rowOf, rows, START } from './worlds.ts';

const WIRE = {
  from: '2026-11-23T12:00:00.000Z',
  to: '2026-11-23T14:00:00.000Z',
  destinations: [
    {
      destination: 'notebooks',
      capacity: {
        cores: 4,
        memory: 8,
        scratch: 80,
        gpus: [
          { type: 'a100', count: 2 },
          { type: 'h100', count: 1 },
        ],
      },
      steps: [
        {
          start: '2026-11-23T12:00:00.000Z',
          end: '2026-11-23T13:00:00.000Z',
          free: { cores: 1, memory: 5, scratch: 60 },
          held: { cores: 1, memory: 1, scratch: 0 },
          firm: { cores: 2, memory: 2, scratch: 20 },
        },
        {
          start: '2026-11-23T13:00:00.000Z',
          end: '2026-11-23T14:00:00.000Z',
          free: { cores: 0, memory: 0, scratch: 0 },
          held: { cores: 0, memory: 0, scratch: 0 },
          firm: { cores: 0, memory: 0, scratch: 0 },
        },
      ],
      maintenance: [
        {
          start: '2026-11-23T13:00:00.000Z',
          end: '2026-11-23T15:00:00.000Z',
          reason: 'new discs',
          takes: 'all' as const,
        },
      ],
      mine: [
        {
          ask: '01890a5d-ac96-774b-bcce-b302099a8057',
          state: 'held' as const,
          start: '2026-11-23T12:00:00.000Z',
          end: '2026-11-23T12:30:00.000Z',
          amount: { cores: 1, memory: 1, scratch: 0 },
        },
      ],
    },
  ],
};

describe('steps', () => {
  test('cover the time of their book without a gap', () => {
    const { from, to, rows: all } = bookOf(WIRE, START);
    for (const { steps } of all) {
      expect(steps[0]?.start).toBe(from);
      expect(steps.at(-1)?.end).toBe(to);
      expect(steps.slice(1).map(({ start }) => start)).toEqual(
        steps.slice(0, -1).map(({ end }) => end),
      );
    }
  });

  test('are found by halving: the one that has the instant', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 0, max: 400 * QUARTER }), ({ steps }, after) => {
        const instant = START + after;
        const having = steps.find(({ start, end }) => start <= instant && instant < end);
        expect(stepAt(steps, instant)).toBe(having ?? steps.at(-1));
      }),
    );
    expect(stepAt(rowOf([{ quarters: 1, free: 1 }]).steps, START - 1).start).toBe(START);
    expect(() => stepAt([], START)).toThrow(RangeError);
  });

  test('tell the first time with the least free amount, and how long it lasts', () => {
    const row = rowOf([
      { quarters: 1, free: 4 },
      { quarters: 2, free: 1, held: 1 },
      { quarters: 1, free: 1 },
      { quarters: 3, free: 2 },
      { quarters: 1, free: 1 },
    ]);
    expect(leastOf(row, 'cores')).toEqual({
      free: 1,
      start: START + QUARTER,
      end: START + 4 * QUARTER,
    });
  });
});

describe('a row', () => {
  const [row] = bookOf(WIRE, START).rows;

  test('counts GPUs of all types together', () => {
    expect(row && amountOf(row.capacity, 'gpus')).toBe(3);
    expect(amountOf({ cores: 1, memory: 1, scratch: 1 }, 'gpus')).toBe(0);
  });

  test('says of maintenance without an end that it lasts until further notice', () => {
    const drained = row && {
      ...row,
      away: row.away.map((each) => ({ ...each, end: Date.parse('9999-12-31T00:00:00Z') })),
    };
    expect(drained && rowSentence(drained, 'cores', START, 'UTC')).toMatch(
      / Maintenance \(new discs\) from Mon 23 Nov, 13:00 until further notice\.$/,
    );
  });

  test('is a sentence: free now, least, mine, maintenance with its reason', () => {
    expect(row && rowSentence(row, 'cores', START, 'UTC')).toBe(
      'notebooks: 1 of 4 cores free on Mon 23 Nov, 12:00. ' +
        'Least free: 0, from Mon 23 Nov, 13:00 to Mon 23 Nov, 14:00. ' +
        'Yours: from Mon 23 Nov, 12:00 to Mon 23 Nov, 12:30. ' +
        'Maintenance (new discs) from Mon 23 Nov, 13:00 to Mon 23 Nov, 15:00.',
    );
    expect(rowSentence(rowOf([{ quarters: 1, free: 1 }]), 'gpus', START, 'UTC')).toBe('a: no GPUs');
  });
});
