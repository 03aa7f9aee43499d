import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AskWindow } from '../../src/planner/ask.ts';
import { spanOf } from '../../src/planner/plan/windows.ts';
import { envelope } from '../../src/schedule/envelope.ts';
import { freeDuring } from '../harness/free.ts';
import { closuresOf, takenBy } from '../../src/site/maintenance.ts';
import { isNonEmpty, type NonEmpty } from '../../src/words/ids.ts';
import { askFor, between, NOW, siteOf } from '../harness/asks.ts';
import {
  AT,
  decide,
  HOUR,
  MINUTE,
  offersOf,
  refusals,
  shown,
  taking,
  takingMemory,
} from './decide.ts';

describe('an offer', () => {
  const times = fc
    .record({
      start: fc.integer({ min: -120, max: 600 }),
      wide: fc.nat(240),
      duration: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    })
    .map(({ start, wide, duration }) =>
      between(
        AT + start * MINUTE,
        AT + (start + wide) * MINUTE,
        duration === undefined ? undefined : duration * 60,
      ),
    );
  const windows = fc.array(fc.oneof(times, times, fc.constant(NOW)), {
    minLength: 1,
    maxLength: 3,
  });
  const reserved = fc.array(
    fc
      .record({
        start: fc.integer({ min: -60, max: 700 }),
        length: fc.integer({ min: 1, max: 300 }),
        cores: fc.integer({ min: 1, max: 3 }),
      })
      .map(({ start, length, cores }) =>
        taking(cores, AT + start * MINUTE, AT + (start + length) * MINUTE),
      ),
    { maxLength: 8 },
  );
  const site = siteOf({
    plain: {},
    small: { cores: 4 },
    fixed: {
      cores: 16,
      flavours: [
        { name: 's', cores: 2, memory: '8GiB' },
        { name: 'm', cores: 4, memory: '16GiB' },
        { name: 'l', cores: 8, memory: '32GiB' },
      ],
    },
    steps: { prepare: 'PT5M', elastic: { cores: { min: 2, max: 8, step: 2 } } },
    away: {
      maintenance: [
        { start: '2026-08-10T12:00', duration: 'PT2H', rrule: 'FREQ=DAILY' },
        { start: '2026-08-10T17:00', duration: 'PT1H', cores: 5 },
      ],
    },
  });

  test('starts in a window, is between minimum and maximum, and fits beside all that is taken', () => {
    fc.assert(
      fc.property(
        windows,
        reserved,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 6 }),
        (list, taken, cores, more) => {
          if (!isNonEmpty(list)) return;
          const ask = askFor({ cores, maxCores: cores + more, windows: list });
          const books = Object.fromEntries([...site.destinations.keys()].map((id) => [id, taken]));
          const planned = decide(ask, site, books);
          for (const [id, offers] of Map.groupBy(
            offersOf(planned),
            ({ destination }) => destination,
          )) {
            const destination = site.destinations.get(id);
            if (destination === undefined) throw new Error(id);
            for (const { startsAt, expiresAt, promised, duration, prepare } of offers) {
              const latest = Math.max(startsAt, expiresAt + prepare * 1000);
              // As offered, and accepted in the last moment: both are within one
              // window, which has that duration.
              expect(
                list.some(
                  (window) =>
                    (window.start === 'now'
                      ? startsAt === AT + prepare * 1000
                      : inRange(window, startsAt) && inRange(window, latest)) &&
                    (window.duration.min ?? 0) <= duration &&
                    duration <= (window.duration.max ?? Infinity),
                ),
              ).toBe(true);
              expect(promised.cores.min).toBeGreaterThanOrEqual(cores * 1000);
              expect(promised.cores.max).toBeLessThanOrEqual((cores + more) * 1000);
            }
            const closed = closuresOf(destination.maintenance, {
              start: AT,
              end: AT + 48 * HOUR,
            }).flatMap((one) => takenBy(one, destination.capacity));
            const holds = envelope(
              offers.map((one) => ({ during: spanOf(one), amount: one.amount })),
            );
            for (const hold of holds) {
              const free = freeDuring(destination.capacity, [...taken, ...closed], hold.during);
              expect(free.cores).toBeGreaterThanOrEqual(hold.amount.cores);
              expect(free.memory).toBeGreaterThanOrEqual(hold.amount.memory);
            }
          }
          expect(
            planned.result === 'YES' ? planned.proposals.length : planned.refusals.length,
          ).toBeGreaterThan(0);
          expect(offersOf(planned).length).toBeLessThanOrEqual(4);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('has the first start at which it fits', () => {
    const planned = decide(
      askFor({ cores: 6, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ one: {} }),
      { one: [taking(4, AT - HOUR, AT + 90 * MINUTE)] },
    );
    expect(shown(planned)[0]).toBe('one +90 6-6');
  });

  test('comes in the order of destinations, then of start: first possible, larger, later', () => {
    const planned = decide(
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ a: {}, b: {} }),
    );
    expect(shown(planned)).toEqual(['a +0 2-2', 'a +0 2-4', 'a +60.5 2-2', 'b +0 2-2']);
    const now = decide(askFor({ cores: 2, maxCores: 4 }), siteOf({ a: {}, b: {} }));
    expect(shown(now)).toEqual(['a +0 2-2', 'a +0 2-4', 'b +0 2-2', 'b +0 2-4']);
    const alone = decide(
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ a: {} }, { release: 'PT1M' }),
    );
    expect(shown(alone)).toEqual(['a +0 2-2', 'a +0 2-4', 'a +61 2-2']);
  });

  test('that is larger fits in the window of the first, also beside a window whose offers last longer', () => {
    const wide = between(AT, AT + HOUR, 600);
    const soon = between(AT, AT + MINUTE, 600);
    // Until then an offer of the second window can run that expires with it, and no other.
    const until = { a: [takingMemory(40, AT + 24 * MINUTE, AT + 5 * HOUR)] };
    const spans = (windows: NonEmpty<AskWindow>) =>
      offersOf(
        decide(askFor({ maxCores: 4, memoryGib: 40, windows }), siteOf({ a: {} }), until),
      ).map((one) => (spanOf(one).end - AT) / MINUTE);
    expect(spans([soon])).toEqual([21.5, 21.5]);
    expect(spans([wide, soon])).toEqual([21.5, 21.5]);
  });

  test('is larger or later in one case each; the others are the first starts at the best destinations', () => {
    const many = (most?: number) =>
      siteOf(
        Object.fromEntries([...'abcdef'].map((id) => [id, {}])),
        most === undefined ? {} : { 'max-offers': most },
      );
    const [growing, growingLater] = [
      askFor({ cores: 2, maxCores: 4 }),
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
    ];
    expect(shown(decide(growing, many()))).toEqual([
      'a +0 2-2',
      'a +0 2-4',
      'b +0 2-2',
      'c +0 2-2',
    ]);
    expect(shown(decide(growingLater, many()))).toEqual([
      'a +0 2-2',
      'a +0 2-4',
      'a +60.5 2-2',
      'b +0 2-2',
    ]);
    expect(shown(decide(growingLater, many(3)))).toEqual(['a +0 2-2', 'a +0 2-4', 'b +0 2-2']);
    expect(shown(decide(growingLater, many(2)))).toEqual(['a +0 2-2', 'b +0 2-2']);
    expect(shown(decide(askFor({ cores: 2 }), many()))).toEqual([
      'a +0 2-2',
      'b +0 2-2',
      'c +0 2-2',
      'd +0 2-2',
    ]);
  });

  test('is no later one of a destination whose first start is left out', () => {
    const ask = askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 3 * HOUR)] });
    const full = [taking(4, AT + 80 * MINUTE, AT + 24 * HOUR)];
    const cores = { cores: 4 };
    const planned = decide(ask, siteOf({ a: cores, b: cores, c: cores }), { a: full, b: full });
    expect(shown(planned)).toEqual(['a +0 2-2', 'a +0 2-4', 'b +0 2-2', 'c +0 2-2']);
  });

  test('is a larger one of the best destination that has room for it', () => {
    const site2 = siteOf({ a: { cores: 2 }, b: { cores: 2 }, c: { cores: 2 }, d: { cores: 8 } });
    expect(shown(decide(askFor({ cores: 2, maxCores: 4 }), site2))).toEqual([
      'a +0 2-2',
      'b +0 2-2',
      'c +0 2-2',
      'd +0 2-4',
    ]);
  });

  test('can be one for each of the alternative times', () => {
    const planned = decide(
      askFor({ windows: [between(AT + 5 * HOUR, AT + 5 * HOUR), between(AT + HOUR, AT + HOUR)] }),
      siteOf({ a: {} }),
    );
    expect(shown(planned)).toEqual(['a +60 1-1', 'a +300 1-1']);
  });

  test('lasts as long as was asked, else as the site says, and never longer than it allows', () => {
    const site2 = siteOf({ a: {} }, { duration: 'PT2H', longest: 'PT6H' });
    const duration = (window: Partial<AskWindow['duration']>): number | undefined =>
      offersOf(
        decide(
          askFor({
            windows: [{ ...NOW, duration: { min: undefined, max: undefined, ...window } }],
          }),
          site2,
        ),
      )[0]?.duration;
    const [
      {
        duration: { min: hour },
      },
    ] = [between(0, 0, 3600)];
    const [
      {
        duration: { min: day },
      },
    ] = [between(0, 0, 86_400)];
    expect([
      duration({}),
      duration({ max: hour }),
      duration({ min: hour }),
      duration({ max: day }),
    ]).toEqual([7200, 3600, 7200, 7200]);
    expect(refusals(decide(askFor({ windows: [between(AT, AT, 86_400)] }), site2))).toMatchObject([
      { code: 'duration-too-long', asked: { value: 86_400 }, limit: { value: 21_600 } },
    ]);
  });

  test('of an exact start expires before the preparation for it has to begin', () => {
    const [offer] = offersOf(
      decide(
        askFor({ windows: [between(AT + 3 * MINUTE, AT + 3 * MINUTE)] }),
        siteOf({ a: { prepare: 'PT2M' } }),
      ),
    );
    expect([offer?.startsAt, offer?.expiresAt]).toEqual([AT + 3 * MINUTE, AT + MINUTE]);
  });

  test('for now starts when the destination can be ready', () => {
    expect(shown(decide(askFor({}), siteOf({ a: { prepare: 'PT2M' } })))).toEqual(['a +2 1-1']);
  });
});

function inRange({ start }: AskWindow, at: number): boolean {
  return start === 'now' ? at === AT : start.earliest <= at && at <= start.latest;
}
