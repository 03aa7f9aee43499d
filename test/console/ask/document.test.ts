import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { documentOf, draftOf, unseenOf } from '../../../src/console/ask/document.ts';

type Ask = Parameters<typeof draftOf>[0];

const TASK = { type: 'https://example.org/task-type/x', spec: { command: ['sort', ''] } };

/** Documents as people type them: known keys with any values among unknown ones. */
const anyAsk = fc.record(
  {
    task: fc.record({ type: fc.string(), spec: fc.jsonValue() }, { requiredKeys: ['type'] }),
    name: fc.jsonValue(),
    resources: fc.oneof(
      fc.jsonValue(),
      fc.record({ compute: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())) }),
    ),
    time: fc.jsonValue(),
    datetime: fc.jsonValue(),
    other: fc.jsonValue(),
  },
  { requiredKeys: ['task'] },
);

describe('form and document', () => {
  test('a document that went through the form is the same', () => {
    fc.assert(
      fc.property(anyAsk, (ask) => {
        expect(documentOf(draftOf(typed(ask)))).toEqual(ask);
      }),
    );
  });

  test('a change of one field keeps the spelling of the others, and what the form does not show', () => {
    const ask = typed({
      task: { ...TASK, note: 1 },
      resources: {
        compute: [{ 'min-cores': 2, 'min-memory': '2048MiB', arch: 'arm64' }, { 'min-cores': 9 }],
        storage: [{ name: 'v' }],
      },
      datetime: { start: '2026-11-24T20:00Z/PT2H', duration: { min: 'PT10M', max: 'PT1H' } },
      costs: [],
    });
    const draft = draftOf(ask);
    expect(documentOf({ ...draft, name: 'mine' })).toEqual({ ...ask, name: 'mine' });
    expect(documentOf({ ...draft, minCores: '4' }).resources).toEqual({
      compute: [{ 'min-cores': 4, 'min-memory': '2GiB', arch: 'arm64' }, { 'min-cores': 9 }],
      storage: [{ name: 'v' }],
    });
    expect(documentOf({ ...draft, hours: '2' })).toEqual({
      ...ask,
      datetime: [{ start: '2026-11-24T20:00Z/PT2H', duration: 'PT2H' }],
    });
    expect(unseenOf(ask)).toEqual([
      'costs',
      'resources.storage',
      'resources.compute[1]',
      'resources.compute[0].arch',
      'task.note',
    ]);
  });
});

describe('when a run may begin', () => {
  const at = Date.UTC(2026, 7, 10, 10);
  const hours = (count: number): number => at + count * 3_600_000;

  test.each([
    ['an instant', '2026-08-10T10:00Z', at, undefined],
    ['an interval', '2026-08-10T12:00+02:00/2026-08-10T12:00Z', at, hours(2)],
    ['a start and a length', '2026-08-10T10:00Z/PT30M', at, hours(0.5)],
    ['an end with the time alone', '2026-08-10T10:00Z/12:00', at, hours(2)],
    ['an end with T and zone', '2026-08-10T12:00+02:00/T12:00Z', at, hours(2)],
    ['an end with the day', '2026-08-10T10:00Z/11T10:00Z', at, hours(24)],
    ['an end with month and day', '2026-08-10T10:00Z/09-10T10:00Z', at, hours(31 * 24)],
  ])('is shown: %s', (_, start, from, until) => {
    const ask = typed({ task: TASK, time: { start } });
    expect(draftOf(ask)).toMatchObject({ start: from, until });
    expect(unseenOf(ask)).toEqual([]);
  });

  test.each([
    '2026-08-10T10:00',
    '2026-08-10',
    'tomorrow',
    '2026-08-10T10:00Z/..',
    '2026-08-10T10:00Z/T09:00Z',
    'R3/2026-08-10T10:00Z/PT1H',
    '2026-08-10T10:00Z/P1M',
    '2026-08-10T10:00Z/P999999999W',
  ])('is kept and named where the form cannot show it: %s', (start) => {
    const ask = typed({ task: TASK, time: [{ start, duration: 'PT1H' }] });
    expect(draftOf(ask)).toMatchObject({ start: undefined, until: undefined, hours: '1' });
    expect(unseenOf(ask)).toEqual(['time[0].start']);
    expect(documentOf({ ...draftOf(ask), hours: '2' }).time).toEqual([{ start, duration: 'PT2H' }]);
    expect(documentOf({ ...draftOf(ask), start: at }).time).toEqual([
      { start: '2026-08-10T10:00:00.000Z', duration: 'PT1H' },
    ]);
  });

  test('is written anew where one end changes; an end alone begins now', () => {
    const draft = draftOf(typed({ task: TASK, time: '2026-08-10T10:00Z/PT1H' }));
    expect(documentOf({ ...draft, until: hours(3) }).time).toEqual([
      { start: '2026-08-10T10:00:00.000Z/2026-08-10T13:00:00.000Z' },
    ]);
    expect(documentOf({ ...draft, until: undefined }).time).toEqual([
      { start: '2026-08-10T10:00:00.000Z' },
    ]);
    const last = Date.UTC(2099, 0, 1);
    const before = Date.now();
    const open = draftOf(documentOf({ ...draft, start: undefined, until: last }));
    expect(open.until).toBe(last);
    expect(open.start).toBeGreaterThan(before - 60_000);
    expect(open.start).toBeLessThanOrEqual(Date.now());
  });
});

/** What a text is, the page learns from the service alone. */
function typed(value: unknown): Ask {
  return Object(value);
}
