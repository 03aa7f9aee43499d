import { describe, expect, test } from '@jest/globals';
import { readSeedTime } from '../../src/dialects/seed/time.ts';
import type { ReadFault } from '../../src/dialects/reading/notes.ts';
import { pathIn } from '../../src/dialects/seed/paths.ts';
import { contractFaults } from '../harness/contract.ts';

type Time = Parameters<typeof readSeedTime>[1]['time'];

function read(body: { readonly time?: Time; readonly datetime?: Time }) {
  const refusals: ReadFault[] = [];
  const windows = readSeedTime(
    { note: (refusal) => void refusals.push(refusal), isFull: () => false },
    body,
  );
  return { windows, refusals: refusals.map(({ code, path }) => `${code} ${path}`) };
}
const TEN = Date.UTC(2026, 7, 10, 10);
const HOUR = 3_600_000;
const open = { min: undefined, max: undefined };

describe('when an ask may run', () => {
  test('is now by default', () => {
    expect(read({})).toEqual({ windows: [{ start: 'now', duration: open }], refusals: [] });
    expect(read({ time: [] })).toEqual(read({}));
  });

  test.each<readonly [string, Time, object]>([
    ['an instant', '2026-08-10T10:00Z', { start: { earliest: TEN, latest: TEN }, duration: open }],
    [
      'an instant as start',
      { start: '2026-08-10T10:00Z' },
      { start: { earliest: TEN, latest: TEN } },
    ],
    // Half-open: the last start is a millisecond before the end.
    [
      'an interval',
      { start: '2026-08-10T10:00Z/T12:00Z' },
      { start: { earliest: TEN, latest: TEN + 2 * HOUR - 1 } },
    ],
    [
      'a start and a length',
      '2026-08-10T10:00Z/PT30M',
      { start: { earliest: TEN, latest: TEN + HOUR / 2 - 1 } },
    ],
    [
      'an exact start as an interval',
      '2026-08-10T10:00Z/PT0S',
      { start: { earliest: TEN, latest: TEN } },
    ],
    [
      'a duration from now',
      { duration: 'PT2H' },
      { start: 'now', duration: { min: 7200, max: 7200 } },
    ],
    [
      'least and most in one',
      { duration: { min: 'PT1H', max: 'PT2H' } },
      { duration: { min: 3600, max: 7200 } },
    ],
    [
      'least and most as keys',
      { 'min-duration': 'PT1H', 'max-duration': '1D' },
      { duration: { min: 3600, max: 86_400 } },
    ],
    [
      'least and most as EP23 writes them',
      { minduration: 'PT1H', maxduration: 'P1H' },
      { duration: { min: 3600, max: 3600 } },
    ],
    [
      'a least duration with a part of a second, rounded up',
      { 'min-duration': 'PT0.1S' },
      { duration: { min: 1, max: undefined } },
    ],
    [
      'a duration that is whole seconds although it is written with a fraction',
      { duration: 'PT1.1H' },
      { duration: { min: 3960, max: 3960 } },
    ],
    [
      'a most duration with a part of a second, rounded down',
      { duration: { min: 'PT59.2S', max: 'PT90.9S' } },
      { duration: { min: 60, max: 90 } },
    ],
  ])('%s', (_, time, expected) => {
    expect(contractFaults('AskTime', time)).toEqual([]);
    expect(read({ time })).toMatchObject({ windows: [expected], refusals: [] });
    expect(read({ datetime: time })).toMatchObject({ windows: [expected], refusals: [] });
  });

  test('may be a list of alternatives, each with its place', () => {
    const datetime: Time = ['2026-08-10T10:00Z', { start: '2026-08-10T12:00Z', duration: 'PT1H' }];
    const placeOf = (window: number): string =>
      pathIn({ task: { type: 'urn:task' }, datetime }, { what: 'window', window });
    expect(read({ datetime }).windows.map(({ start }, window) => [placeOf(window), start])).toEqual(
      [
        ['datetime[0]', { earliest: TEN, latest: TEN }],
        ['datetime[1]', { earliest: TEN + 2 * HOUR, latest: TEN + 2 * HOUR }],
      ],
    );
  });

  test.each<readonly [Time, readonly string[]]>([
    ['tomorrow', ['time-unreadable time']],
    ['2026-08-10T10:00', ['time-zone-missing time']],
    [{ start: '2026-08-10' }, ['time-zone-missing time.start']],
    [{ start: 'R5/2026-08-10T10:00Z/PT1H' }, ['time-repeats time.start']],
    [{ start: 'PT1H/2026-08-10T10:00Z' }, ['time-form-unsupported time.start']],
    [{ start: '2026-08-10T10:00Z/T09:00Z' }, ['time-inverted time.start']],
    [{ duration: 'P1M' }, ['duration-unreadable time.duration']],
    [{ duration: 'PT0S' }, ['duration-not-positive time.duration']],
    // No whole second is both no less and no more.
    [{ duration: 'PT0.5S' }, ['duration-not-positive time.duration']],
    [{ duration: 'PT90.5S' }, ['minimum-above-maximum time.duration']],
    [{ 'max-duration': 'PT0.9S' }, ['duration-not-positive time.max-duration']],
    [{ duration: 'P99999W' }, ['duration-too-long time.duration']],
    [{ duration: { min: 'PT2H', max: 'PT1H' } }, ['minimum-above-maximum time.duration.min']],
    [{ duration: 'PT1H', 'min-duration': 'PT1H' }, ['time-ambiguous time.min-duration']],
    [{ 'max-duration': 'PT1H', maxduration: 'PT1H' }, ['time-ambiguous time.maxduration']],
    [{ start: '2026-08-10T10:00Z', end: '2026-08-10T12:00Z' }, ['unknown-key time.end']],
    [{ duration: { least: 'PT1H' } }, ['unknown-key time.duration.least']],
    [Array.from({ length: 17 }, () => '2026-08-10T10:00Z'), ['too-many-times time']],
    // Every problem of every alternative, not the first.
    [
      [{ start: 'x', duration: 'y' }, '2026-08-10T10:00', { duration: { min: 'z' } }],
      [
        'time-unreadable time[0].start',
        'duration-unreadable time[0].duration',
        'time-zone-missing time[1]',
        'duration-unreadable time[2].duration.min',
      ],
    ],
  ])('%j is refused', (time, expected) => {
    expect(read({ time }).refusals).toEqual(expected);
  });

  test('is refused when it is given under both names', () => {
    expect(read({ time: '2026-08-10T10:00Z', datetime: '2026-08-10T10:00Z' }).refusals).toEqual([
      'time-ambiguous datetime',
    ]);
  });
});
