import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  clockText,
  durationOf,
  inputOf,
  instantOf,
  lengthText,
  midnights,
  offsetName,
  secondsOf,
  shown,
} from '../../src/console/time.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'];
const zone = fc.constantFrom(...ZONES);
/** Whole minutes from 2000 to 2060. */
const minute = fc.integer({ min: 15_778_080, max: 47_335_680 }).map((each) => each * 60_000);

describe('times by the clocks of a zone', () => {
  test('an instant goes into a field and comes back, but for the second of two equal hours', () => {
    fc.assert(
      fc.property(minute, zone, (instant, place) => {
        const back = instantOf(inputOf(instant, place), place);
        expect(back).toBeLessThanOrEqual(instant);
        expect(inputOf(back ?? 0, place)).toBe(inputOf(instant, place));
      }),
    );
  });

  test('an hour that clocks skip is taken as the one after it, and of a repeated hour the first', () => {
    const berlin = 'Europe/Berlin';
    expect(instantOf('2026-03-29T02:30', berlin)).toBe(Date.parse('2026-03-29T01:30Z'));
    expect(instantOf('2026-10-25T02:30', berlin)).toBe(Date.parse('2026-10-25T00:30Z'));
    expect(instantOf('', berlin)).toBeUndefined();
    expect(instantOf('2026-99-99T99:99', berlin)).toBeUndefined();
  });

  test('days begin at midnight of the zone, also where a day has 23 or 25 hours', () => {
    const from = Date.parse('2026-10-24T10:00Z');
    const found = midnights({ from, to: from + 3 * 86_400_000, zone: 'Europe/Berlin' });
    expect(found.map((each) => new Date(each).toISOString())).toEqual([
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
      '2026-10-26T23:00:00.000Z',
    ]);
  });

  test('a time is shown with its day, and a zone with its distance from UTC', () => {
    const instant = Date.parse('2026-11-24T20:00Z');
    expect(shown(instant, 'Europe/Berlin', instant)).toBe('Tue 24 Nov, 21:00');
    expect(offsetName('Europe/Berlin', instant)).toBe('GMT+1');
  });

  test('a time half a year away or more is shown with its year', () => {
    const at = (instant: string): string =>
      shown(Date.parse(instant), 'Europe/Berlin', Date.parse('2026-11-24T20:00Z'));
    expect(at('2096-08-10T12:00Z')).toBe('Fri 10 Aug 2096, 14:00');
    expect(at('2025-11-24T20:00Z')).toBe('Mon 24 Nov 2025, 21:00');
    expect(at('2027-01-02T20:00Z')).toBe('Sat 2 Jan, 21:00');
  });
});

describe('lengths of time', () => {
  test('seconds become a duration and come back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (seconds) => {
        expect(secondsOf(durationOf(seconds))).toBe(seconds);
      }),
    );
  });

  test('days and weeks are read, months and nonsense are not', () => {
    expect(['P1DT1H', 'P2W', 'PT1.5H'].map(secondsOf)).toEqual([90_000, 1_209_600, 5400]);
    expect(['P1M', 'P', 'PT', 'soon', '1H'].map(secondsOf)).toEqual(Array(5).fill(undefined));
  });

  test('are said in one or two units, and count as clocks do', () => {
    expect([45, 900, 7200, 9000, 259_200].map(lengthText)).toEqual([
      '45 s',
      '15 min',
      '2 h',
      '2 h 30 min',
      '3 days',
    ]);
    expect([-1, 59.9, 296, 3896].map(clockText)).toEqual(['0:00', '0:59', '4:56', '1:04:56']);
  });
});
