import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  DAYS,
  earlier,
  later,
  QUARTER,
  spanOf,
  type Part,
} from '../../../src/console/calendar/range.ts';
import { ticksOf } from '../../../src/console/calendar/picture/ticks.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 23, 12, 8, 30);
const HORIZON = { now: NOW, ahead: 30 * DAY };

const horizons = fc.record({
  now: fc.integer({ min: 1.7e12, max: 1.9e12 }),
  ahead: fc.integer({ min: 3_600_000, max: 100 * DAY }),
});

describe('the time that is shown', () => {
  test('begins with the quarter that has begun', () => {
    expect(spanOf({ from: undefined, days: 1 }, HORIZON)).toEqual({
      from: Date.UTC(2026, 10, 23, 12),
      to: Date.UTC(2026, 10, 24, 12),
    });
  });

  test('ends within the horizon, with a margin for clocks that differ', () => {
    expect(spanOf({ from: undefined, days: 30 }, HORIZON).to).toBe(Date.UTC(2026, 11, 23, 12));
  });

  test('goes to the horizon and back to now in steps without a gap', () => {
    fc.assert(
      fc.property(horizons, fc.constantFrom(...DAYS), (horizon, days) => {
        let part: Part = { from: undefined, days };
        let span = spanOf(part, horizon);
        for (let next = later(part, horizon); next !== undefined; next = later(part, horizon)) {
          const following = spanOf(next, horizon);
          expect(following.from).toBeGreaterThan(span.from);
          expect(following.from).toBeLessThanOrEqual(span.to);
          [part, span] = [next, following];
          expect(span.to).toBeLessThanOrEqual(horizon.now + horizon.ahead);
        }
        expect(horizon.now + horizon.ahead - span.to).toBeLessThan(2 * QUARTER);
        for (let i = 0; i < 110; i += 1) part = earlier(part, horizon) ?? part;
        expect(part.from).toBeUndefined();
      }),
    );
  });

  test('is corrected where an address has a time that is past or too late', () => {
    const now = spanOf({ from: undefined, days: 7 }, HORIZON);
    expect(spanOf({ from: NOW - DAY, days: 7 }, HORIZON)).toEqual(now);
    expect(spanOf({ from: NOW + 99 * DAY, days: 7 }, HORIZON).to).toBe(Date.UTC(2026, 11, 23, 12));
  });
});

describe('the time axis', () => {
  const texts = (days: (typeof DAYS)[number], zone: string) =>
    ticksOf(spanOf({ from: undefined, days }, HORIZON), days, zone).map(({ text }) => text);

  test('has midnights by the clocks of the zone, and hours if few days are shown', () => {
    expect(texts(1, 'Europe/Berlin').join(' ')).toBe(
      '15:00 18:00 21:00 Tue 24 03:00 06:00 09:00 12:00',
    );
    expect(texts(3, 'UTC')).toEqual(['Tue 24', '12:00', 'Wed 25', '12:00', 'Thu 26']);
    expect(texts(7, 'Asia/Kolkata')).toHaveLength(7);
  });

  test('has a text for each third of thirty days', () => {
    const found = texts(30, 'UTC');
    expect(found).toHaveLength(30);
    expect(found.slice(0, 4)).toEqual(['Tue 24', undefined, undefined, 'Fri 27']);
  });

  test('has no line twice where clocks skip an hour', () => {
    const from = Date.UTC(2027, 2, 27, 20);
    const found = ticksOf({ from, to: from + DAY }, 1, 'Europe/Berlin').map(({ at }) => at);
    expect(new Set(found).size).toBe(found.length);
  });
});
