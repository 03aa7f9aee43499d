import { describe, expect, test } from '@jest/globals';
import { askOf, container, K, reasonsOf } from './requests.ts';

const executable = container;
const TEN = Date.UTC(2026, 7, 10, 10);
const HOUR = 3_600_000;

function requested(start: unknown, duration?: unknown) {
  return { executable, schedule: { requested: { start, ...(duration ? { duration } : {}) } } };
}

describe('the schedule of a request', () => {
  test.each([
    ['an instant', '2026-08-10T10:00:00Z', TEN, TEN],
    ['start and end', '2026-08-10T10:00Z/2026-08-10T11:00Z', TEN, TEN + HOUR - 1],
    ['a short end', '2026-08-10T10:00Z/T11:00Z', TEN, TEN + HOUR - 1],
    ['start and duration', '2026-08-10T10:00:00.000Z/PT1H', TEN, TEN + HOUR - 1],
    ['duration and end', 'PT1H/2026-08-10T11:00Z', TEN, TEN + HOUR - 1],
    ['another zone', '2026-08-10T12:00+02:00', TEN, TEN],
  ])('has %s', (_, start, earliest, latest) => {
    expect(askOf(requested(start)).windows).toEqual([
      { start: { earliest, latest }, duration: { min: undefined, max: undefined } },
    ]);
  });

  test('has several starts, each with the duration', () => {
    const { windows } = askOf(requested(['2026-08-10T10:00Z', '2026-08-11T10:00Z'], 'PT2H'));
    expect(windows).toHaveLength(2);
    expect(windows[1]?.duration).toEqual({ min: 7200, max: 7200 });
  });

  test('has times of 2024', () => {
    const datetime = [
      { start: '2026-08-10T10:00Z', duration: { min: 'PT1H', max: 'PT2H' } },
      { start: '2026-08-11T10:00Z', minduration: 'P1H' },
    ];
    expect(askOf({ executable, datetime }).windows).toMatchObject([
      { duration: { min: 3600, max: 7200 } },
      { duration: { min: 3600, max: undefined } },
    ]);
  });

  test.each<readonly [string, object, readonly string[]]>([
    ['dates alone', requested('2026-08-10/PT2H'), ['time-zone-missing schedule.requested.start']],
    [
      'a repeating time',
      requested(['2026-08-10T10:00Z', 'R5/2026-08-10T10:00Z/PT1H']),
      ['time-repeats schedule.requested.start[1]'],
    ],
    [
      'a duration that is none',
      requested('2026-08-10T10:00Z', 'an hour'),
      ['duration-unreadable schedule.requested.duration'],
    ],
    [
      'a fault of the duration once for all starts',
      requested(['2026-08-10T10:00Z', '2026-08-11T10:00Z'], 'P1M'),
      ['duration-unreadable schedule.requested.duration'],
    ],
    [
      'a negative duration',
      requested('2026-08-10T10:00Z', '-PT1H'),
      ['duration-unreadable schedule.requested.duration'],
    ],
    ['an unknown word', { executable, schedule: { wanted: {} } }, ['unknown-key schedule.wanted']],
    [
      'too many starts',
      requested(Array.from({ length: 17 }, () => '2026-08-10T10:00Z')),
      ['too-many-times schedule.requested.start'],
    ],
  ])('is refused with the place of %s', (_, body, reasons) => {
    expect(reasonsOf(body)).toEqual(reasons);
  });

  test('repeats the schedule of an offer', () => {
    const { schedule } = requested('2026-08-10T10:00Z');
    const available = { start: '2026-08-10T10:00:00.000Z/PT0S', duration: 'PT1H' };
    expect(reasonsOf({ executable, schedule: { ...schedule, available } })).toEqual([]);
  });
});

describe('costs and metrics of a request', () => {
  const EUR = 'https://example.org/euro';
  const cost = { kind: `${K}/costs/simple-minmax-float-cost.yaml`, type: EUR };

  test('are limits of costs', () => {
    expect(askOf({ executable, costs: [{ ...cost, min: 1, max: 2.5 }, cost] }).costs).toEqual([
      { type: EUR, max: 2.5 },
      { type: EUR, max: undefined },
    ]);
  });

  test.each<readonly [string, object, string]>([
    ['a metric', { metrics: [{ type: 'urn:flops', min: 1 }] }, 'metric-unknown metrics[0]'],
    ['a cost of a part', { compute: { costs: [cost] } }, 'unknown-key compute.costs'],
    ['a foreign cost', { costs: [{ kind: 'urn:x', max: 1 }] }, 'cost-unknown costs[0].kind'],
    ['a cost of nothing', { costs: [{ kind: cost.kind, max: 1 }] }, 'cost-unknown costs[0].type'],
    ['a word', { costs: [{ ...cost, average: 1 }] }, 'unknown-key costs[0].average'],
  ])('are refused with the place of %s', (_, words, reason) => {
    expect(reasonsOf({ executable, ...words })).toEqual([reason]);
  });

  test('ask for nothing without bounds', () => {
    expect(reasonsOf({ executable, metrics: [{ type: 'urn:flops' }] })).toEqual([]);
  });
});
