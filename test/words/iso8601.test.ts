import { describe, expect, test } from '@jest/globals';
import { parseDuration, parseInstant, parseSpan } from '../../src/words/iso8601.ts';

function shown(text: string): string {
  const span = parseSpan(text);
  if (!span.ok) return span.fault;
  const [start, end] = [span.value.start, span.value.end].map((at) =>
    new Date(at).toISOString().replace('.000Z', 'Z'),
  );
  return start === end ? `${start}` : `${start} ${end}`;
}

describe('a time as clients write it', () => {
  test.each([
    ['2023-08-14T11:30Z', '2023-08-14T11:30:00Z'],
    ['2023-08-14t11:30:15z', '2023-08-14T11:30:15Z'],
    ['2023-08-14T11:30:15.25-03:30', '2023-08-14T15:00:15.250Z'],
    ['20230814T133000+0200', '2023-08-14T11:30:00Z'],
    ['2023-08-14 11:30Z', '2023-08-14T11:30:00Z'],
    ['2023-08-14T24:00Z', '2023-08-15T00:00:00Z'],
    ['2023-08-14T11:30Z/2023-08-14T12:00Z', '2023-08-14T11:30:00Z 2023-08-14T12:00:00Z'],
    ['2023-08-14T11:30Z/T12:00Z', '2023-08-14T11:30:00Z 2023-08-14T12:00:00Z'],
    ['2023-08-14T11:30Z/12:00Z', '2023-08-14T11:30:00Z 2023-08-14T12:00:00Z'],
    ['2023-08-14T11:30Z/15T01:00Z', '2023-08-14T11:30:00Z 2023-08-15T01:00:00Z'],
    ['2023-08-14T11:30Z/09-01T01:00Z', '2023-08-14T11:30:00Z 2023-09-01T01:00:00Z'],
    ['2023-08-14T11:30Z/PT30M', '2023-08-14T11:30:00Z 2023-08-14T12:00:00Z'],
    ['2023-08-14T11:30Z/P1H', '2023-08-14T11:30:00Z 2023-08-14T12:30:00Z'],
    ['2023-08-14T11:30Z/1D', '2023-08-14T11:30:00Z 2023-08-15T11:30:00Z'],
    // The end has no zone, so the zone of the start applies (ISO 8601-1, 5.5.2.3).
    ['2023-08-14T11:30+02:00/12:00', '2023-08-14T09:30:00Z 2023-08-14T10:00:00Z'],
    ['2023-08-14T11:30Z/2023-08-14T13:00', '2023-08-14T11:30:00Z 2023-08-14T13:00:00Z'],
    ['2023-08-14T11:30Z/PT0S', '2023-08-14T11:30:00Z'],
    ['2023-08-14T11:30', 'zone-missing'],
    ['2023-08-14', 'zone-missing'],
    ['2023-08-14T11:30/PT1H', 'zone-missing'],
    ['2023-02-30T11:30Z', 'unreadable'],
    ['2023-02-30', 'unreadable'],
    ['2023-08-14T25:00Z', 'unreadable'],
    ['2023-08-14T11:30:60Z', 'unreadable'],
    ['2023-08-14T11:30+99:00', 'unreadable'],
    ['tomorrow', 'unreadable'],
    ['', 'unreadable'],
    ['1691999999', 'unreadable'],
    ['2023-08-14T11:30Z/a', 'unreadable'],
    ['a/b/c', 'unreadable'],
    ['2023-08-14T11:30Z/-PT1H', 'unreadable'],
    [`2023-08-14T11:30Z${' '.repeat(200)}`, 'unreadable'],
    ['R5/2023-08-14T11:30Z/PT1H', 'repeats'],
    ['R/2023-08-14T11:30Z/PT1H', 'repeats'],
    ['PT1H/2023-08-14T11:30Z', 'form-unsupported'],
    ['../2023-08-14T11:30Z', 'form-unsupported'],
    ['2023-08-14T11:30Z/..', 'form-unsupported'],
    ['2023-08-14T11:30Z/', 'form-unsupported'],
    ['2023-08-14T11:30Z/T10:00Z', 'inverted'],
    ['2023-08-14T11:30Z/2023-08-13T11:30Z', 'inverted'],
  ])('%s is %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test('is the same instant in whatever zone it is written', () => {
    const instants = [
      '2026-03-29T01:30Z',
      '2026-03-29T03:30+02:00',
      '2026-03-28T20:30-05',
      '20260329T013000Z',
    ].map(parseInstant);
    expect(new Set(instants.map((one) => (one.ok ? one.value : one.fault)))).toEqual(
      new Set([Date.UTC(2026, 2, 29, 1, 30)]),
    );
  });
});

describe('a duration as clients write it', () => {
  test.each([
    ['PT1H', 3600],
    ['PT90M', 5400],
    ['P1D', 86_400],
    ['P1DT2H', 93_600],
    ['P1W', 604_800],
    ['PT1H30M5S', 5405],
    ['PT1,5H', 5400],
    ['PT1.1H', 3960],
    ['PT0.000000001S', 1e-9],
    ['PT0.5S', 0.5],
    ['PT0S', 0],
    ['pt1h', 3600],
    // The 2023 draft omits the P, later drafts the T.
    ['1D', 86_400],
    ['2W', 1_209_600],
    ['P1H', 3600],
    ['P1H30M', 5400],
    ['P1D12H', 129_600],
  ])('%s is %d seconds', (text, expected) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: expected });
  });

  test.each([
    // 30 months, or 30 minutes? A year and a month vary in length.
    'P30M',
    '30M',
    'P1M',
    'P1Y',
    'P1Y2M',
    'P',
    'PT',
    'P1DT',
    '-PT1H',
    'PT-1H',
    '36',
    '',
    'one hour',
    'PT1X',
    'PT1H1H',
  ])('%s is refused', (text) => {
    expect(parseDuration(text)).toEqual({ ok: false, fault: 'unreadable' });
  });
});
