import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  instantOfWall,
  occurrences,
  wallOf,
  type Recurrence,
} from '../../src/schedule/recurrence.ts';
import { readRule, type Rule } from '../../src/schedule/recurrence-rule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function weekly(more: Partial<Recurrence> = {}): Recurrence {
  return {
    start: wall('2026-10-20T02:00:00'),
    length: { kind: 'lasting', ms: 4 * HOUR },
    zone: 'Europe/Berlin',
    rule: rule('FREQ=WEEKLY;BYDAY=TU'),
    except: new Set(),
    ...more,
  };
}

function wall(text: string): number {
  return Date.parse(`${text}Z`);
}

function rule(text: string): Rule {
  const read = readRule(text);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

function shown(recurrence: Recurrence, from: string, to: string): readonly string[] {
  return occurrences(recurrence, { start: Date.parse(from), end: Date.parse(to) }).map(
    ({ start, end }) =>
      `${new Date(start).toISOString().slice(0, 16)} ${new Date(end).toISOString().slice(0, 16)}`,
  );
}

describe('events by the clocks of Berlin', () => {
  test('stay at two at night when clocks go back: an hour later in UTC', () => {
    expect(shown(weekly(), '2026-10-19T00:00Z', '2026-11-04T00:00Z')).toEqual([
      '2026-10-20T00:00 2026-10-20T04:00',
      '2026-10-27T01:00 2026-10-27T05:00',
      '2026-11-03T01:00 2026-11-03T05:00',
    ]);
  });

  test('stay there when clocks go forward: an hour earlier in UTC', () => {
    const march = weekly({ start: wall('2027-03-23T02:00:00') });
    expect(shown(march, '2027-03-22T00:00Z', '2027-03-31T00:00Z')).toEqual([
      '2027-03-23T01:00 2027-03-23T05:00',
      '2027-03-30T00:00 2027-03-30T04:00',
    ]);
  });

  test('last five hours in the night with a repeated hour, when their end is a clock time', () => {
    const sunday = { start: wall('2026-10-25T01:00:00'), rule: undefined };
    expect(
      shown(
        weekly({ ...sunday, length: { kind: 'by-the-clock', ms: 4 * HOUR } }),
        '2026-10-24T00:00Z',
        '2026-10-26T00:00Z',
      ),
    ).toEqual(['2026-10-24T23:00 2026-10-25T04:00']);
    expect(
      shown(
        weekly({ ...sunday, length: { kind: 'lasting', ms: 4 * HOUR } }),
        '2026-10-24T00:00Z',
        '2026-10-26T00:00Z',
      ),
    ).toEqual(['2026-10-24T23:00 2026-10-25T03:00']);
  });

  test('end with an UNTIL in UTC, and leave out exceptions', () => {
    const until = weekly({
      rule: rule('FREQ=WEEKLY;BYDAY=TU;UNTIL=20261103T010000Z'),
      except: new Set([wall('2026-10-27T02:00:00')]),
    });
    expect(shown(until, '2026-10-01T00:00Z', '2027-01-01T00:00Z')).toEqual([
      '2026-10-20T00:00 2026-10-20T04:00',
      '2026-11-03T01:00 2026-11-03T05:00',
    ]);
  });

  test('use the offsets of their zone', () => {
    expect(new Date(wallOf(Date.parse('2026-07-01T10:00Z'), 'Europe/Berlin')).toISOString()).toBe(
      '2026-07-01T12:00:00.000Z',
    );
  });
});

describe('a time on clocks', () => {
  const zones = [
    'Europe/Berlin',
    'Europe/London',
    'America/New_York',
    'Australia/Lord_Howe',
    'UTC',
  ];
  const quarters = { from: Date.parse('2020-01-01T00:00Z'), step: HOUR / 4 };

  test('is the first instant at which they show it, also in a night that has it twice', () => {
    expect(
      new Date(instantOfWall(wall('2026-10-25T02:30:00'), 'Europe/Berlin')).toISOString(),
    ).toBe('2026-10-25T00:30:00.000Z');
    const nights = [
      '2026-03-29',
      '2026-10-25',
      '2026-03-08',
      '2026-11-01',
      '2026-04-05',
      '2026-10-04',
    ];
    const anyTime = fc.oneof(
      fc.integer({ min: 0, max: 500_000 }).map((n) => quarters.from + n * quarters.step),
      fc
        .tuple(fc.constantFrom(...nights), fc.integer({ min: 0, max: 16 }))
        .map(([night, n]) => Date.parse(`${night}T00:00Z`) + n * quarters.step),
    );
    fc.assert(
      fc.property(fc.constantFrom(...zones), anyTime, (zone, shownTime) => {
        const around = Array.from({ length: 140 }, (_, n) => shownTime + (n - 70) * quarters.step);
        const first = around.find((at) => wallOf(at, zone) === shownTime);
        const found = instantOfWall(shownTime, zone);
        // Clocks that are put forward show some times never: those are later by what is left out.
        return first === undefined ? wallOf(found, zone) > shownTime : found === first;
      }),
      { numRuns: 200 },
    );
  });
});

describe('an accepted rule', () => {
  const days = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;
  const weekdays = fc.subarray([...days], { minLength: 1 });
  const months = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
  const monthDays = fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 4 });

  /** Counts day by day with JavaScript's calendar. */
  const counted = (start: number, test: (at: Date) => boolean): readonly number[] =>
    Array.from({ length: 800 }, (_, day) => start + day * DAY).filter((at) => test(new Date(at)));
  const found = (text: string, start: number): readonly number[] =>
    occurrences(
      {
        start,
        length: { kind: 'lasting', ms: HOUR },
        zone: 'UTC',
        rule: rule(text),
        except: new Set(),
      },
      { start, end: start + 800 * DAY },
    ).map((one) => one.start);
  const starts = fc
    .integer({ min: 0, max: 3000 })
    .map((day) => Date.UTC(2024, 0, 1, 5) + day * DAY);

  test('happens on the days of the week that it names', () => {
    fc.assert(
      fc.property(starts, weekdays, (start, names) => {
        expect(found(`FREQ=WEEKLY;BYDAY=${names.join(',')}`, start)).toEqual(
          counted(start, (at) => names.some((name) => days.indexOf(name) === at.getUTCDay())),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('happens on the days of the month and in the months that it names, if they exist', () => {
    fc.assert(
      fc.property(
        starts,
        fc.constantFrom('DAILY', 'MONTHLY', 'YEARLY'),
        months,
        monthDays,
        (start, frequency, inMonths, on) => {
          const expected = counted(
            start,
            (at) => inMonths.includes(at.getUTCMonth() + 1) && on.includes(at.getUTCDate()),
          );
          expect(
            found(
              `FREQ=${frequency};BYMONTH=${inMonths.join(',')};BYMONTHDAY=${on.join(',')}`,
              start,
            ),
          ).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('happens every n days', () => {
    fc.assert(
      fc.property(starts, fc.integer({ min: 1, max: 40 }), (start, interval) => {
        expect(found(`FREQ=DAILY;INTERVAL=${interval}`, start)).toEqual(
          counted(start, (at) => ((at.getTime() - start) / DAY) % interval === 0),
        );
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    // The examples of RFC 5545, § 3.8.5.3.
    ['FREQ=DAILY;COUNT=3', '1997-09-02', '1997-09-02 1997-09-03 1997-09-04'],
    [
      'FREQ=WEEKLY;INTERVAL=2;WKST=SU;COUNT=4',
      '1997-09-02',
      '1997-09-02 1997-09-16 1997-09-30 1997-10-14',
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
      '1997-08-05',
      '1997-08-05 1997-08-10 1997-08-19 1997-08-24',
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
      '1997-08-05',
      '1997-08-05 1997-08-17 1997-08-19 1997-08-31',
    ],
    ['FREQ=MONTHLY;COUNT=4;BYDAY=1FR', '1997-09-05', '1997-09-05 1997-10-03 1997-11-07 1997-12-05'],
    [
      'FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU',
      '1997-09-07',
      '1997-09-07 1997-09-28 1997-11-02 1997-11-30',
    ],
    ['FREQ=MONTHLY;COUNT=3;BYDAY=-2MO', '1997-09-22', '1997-09-22 1997-10-20 1997-11-17'],
    ['FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-3', '1997-09-28', '1997-09-28 1997-10-29 1997-11-28'],
    [
      'FREQ=YEARLY;COUNT=4;BYMONTH=6,7',
      '1997-06-10',
      '1997-06-10 1997-07-10 1998-06-10 1998-07-10',
    ],
    ['FREQ=YEARLY;BYDAY=20MO;COUNT=3', '1997-05-19', '1997-05-19 1998-05-18 1999-05-17'],
    [
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3',
      '1997-09-02',
      '1998-02-13 1998-03-13 1998-11-13',
    ],
    ['FREQ=DAILY;UNTIL=19970904', '1997-09-02', '1997-09-02 1997-09-03 1997-09-04'],
    ['FREQ=MONTHLY;COUNT=3', '2026-01-31', '2026-01-31 2026-03-31 2026-05-31'],
    ['FREQ=YEARLY;COUNT=2', '2024-02-29', '2024-02-29 2028-02-29'],
  ])('%s from %s', (text, from, expected) => {
    const start = Date.parse(`${from}T09:00Z`);
    const all = occurrences(
      {
        start,
        length: { kind: 'lasting', ms: HOUR },
        zone: 'UTC',
        rule: rule(text),
        except: new Set(),
      },
      { start, end: start + 2000 * DAY },
    );
    expect(all.map((one) => new Date(one.start).toISOString().slice(0, 10)).join(' ')).toBe(
      expected,
    );
  });
});

describe('a rule is refused', () => {
  test.each([
    ['FREQ=SECONDLY', 'FREQ is one of'],
    ['BYDAY=MO', 'FREQ is one of'],
    ['FREQ=HOURLY', 'FREQ is one of'],
    ['', 'an empty part'],
    ['FREQ=DAILY;BYHOUR=1', 'BYHOUR is not supported'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL is'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY has days'],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH is'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY is'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY is'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'without numbers'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL is'],
    ['FREQ=DAILY;COUNT=', 'COUNT is'],
    ['FREQ=DAILY;WKST=XX', 'WKST is'],
  ])('%s', (text, because) => {
    expect(readRule(text)).toContain(because);
  });
});
