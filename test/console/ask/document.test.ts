import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { documentOf, draftFor, draftOf, unseenOf } from '../../../src/console/ask/document.ts';

type Ask = Parameters<typeof draftOf>[0];

const TASK = { type: 'https://example.org/task-type/x', spec: { command: ['sort', ''] } };

const TYPES = 'https://www.purl.org/ivoa-net/storage-type';

/** Storage that is partly as the form has it. */
const anyStorage = fc.record({
  compute: fc.array(
    fc.oneof(
      fc.jsonValue(),
      fc.record({
        volumes: fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              name: fc.constantFrom('a', 'b'),
              path: fc.string(),
              mode: fc.constantFrom('r', 'rw'),
            }),
          ),
        ),
      }),
    ),
  ),
  storage: fc.array(
    fc.oneof(
      fc.jsonValue(),
      fc.record({
        name: fc.constantFrom('a', 'b'),
        type: fc.constantFrom(`${TYPES}/ephemeral`, `${TYPES}/persistent`),
        size: fc.oneof(fc.jsonValue(), fc.constantFrom('1GiB', '1.2.3', 2)),
        lifetime: fc.oneof(fc.jsonValue(), fc.constantFrom('P1D', '2D', '')),
      }),
    ),
  ),
});

/** Documents as people type them: known keys with any values among unknown ones. */
const anyAsk = fc.record(
  {
    task: fc.record({ type: fc.string(), spec: fc.jsonValue() }, { requiredKeys: ['type'] }),
    name: fc.jsonValue(),
    resources: fc.oneof(
      fc.jsonValue(),
      fc.record({ compute: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())) }),
      anyStorage,
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

  test('storage of the form is found again in any document, beside what it does not show', () => {
    fc.assert(
      fc.property(anyAsk, (ask) => {
        const draft = draftOf(typed(ask));
        const next = { scratch: '7', kept: '9', keptFolder: 'there', keptDays: '2' };
        const document = documentOf({ ...draft, ...next });
        expect(draftOf(document)).toMatchObject(next);
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
      'resources.storage[0]',
      'resources.compute[1]',
      'resources.compute[0].arch',
      'task.note',
    ]);
  });
});

/** Forms that somebody filled, whose amounts have a spelling of their own. */
const amount = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 9999 }).map((n) => String(n / 4)),
);
const instant = fc.option(fc.integer({ min: Date.UTC(2027, 0), max: Date.UTC(2030, 0) }), {
  nil: undefined,
});
const anyDraft = fc
  .record({
    minCores: amount,
    maxCores: amount,
    memory: amount,
    hours: amount,
    scratch: amount,
    kept: amount,
    keptFolder: fc.constantFrom('kept', 'results', '/data/x'),
    keptDays: amount,
    times: fc.tuple(instant, instant),
  })
  .map(({ times: [start, until], kept, keptFolder, keptDays, ...fields }) => {
    const isKept = kept !== '';
    return {
      ...draftFor(TASK.type, {}),
      ...fields,
      kept,
      keptFolder: isKept ? keptFolder : 'kept',
      keptDays: isKept ? keptDays : '',
      ...(start !== undefined && until !== undefined && start > until
        ? { start: until, until: start }
        : { start, until: start === undefined ? undefined : until }),
    };
  });

test('a form that went through its document is the same, and its document, too', () => {
  fc.assert(
    fc.property(anyDraft, anyDraft, (draft, next) => {
      const document = documentOf(draft);
      const read = draftOf(document);
      expect({ ...read, rest: undefined }).toEqual(draft);
      expect(unseenOf(document)).toEqual([]);
      // Also where the form came from another document.
      const again = draftOf(documentOf({ ...next, rest: document }));
      expect({ ...again, rest: undefined }).toEqual(next);
    }),
    { examples: [[draftFor(TASK.type, {}), { ...draftFor(TASK.type, {}), kept: '1' }]] },
  );
});

describe('storage', () => {
  const item = { name: 'big', type: `${TYPES}/ephemeral`, size: '2048MiB' };
  const old = typed({
    task: TASK,
    resources: {
      compute: [
        {
          'min-cores': 2,
          volumes: [
            { name: 'sky', path: 'sky', mode: 'r' },
            { name: 'big', path: '/scratch' },
            { name: 'out', path: 'out', mode: 'rw' },
          ],
        },
        { volumes: [{ name: 'big', path: 'x' }] },
      ],
      storage: [
        { name: 'sky', type: `${TYPES}/https`, location: 'https://example.org/sky.fits' },
        item,
        { name: 'out', type: `${TYPES}/persistent`, size: 5, lifetime: '1W' },
      ],
    },
  });

  test('is written as items that the job mounts', () => {
    const draft = { ...draftFor(TASK.type, {}), minCores: '', memory: '', hours: '' };
    const filled = { ...draft, scratch: '20', kept: '5', keptFolder: 'out', keptDays: '7' };
    expect(documentOf(filled).resources).toEqual({
      compute: [
        {
          volumes: [
            { name: 'scratch', path: 'scratch', mode: 'rw' },
            { name: 'kept', path: 'out', mode: 'rw' },
          ],
        },
      ],
      storage: [
        { name: 'scratch', type: `${TYPES}/ephemeral`, size: '20GiB' },
        { name: 'kept', type: `${TYPES}/persistent`, size: '5GiB', lifetime: 'P7D' },
      ],
    });
  });

  test('is shown where the form can, and what it cannot show is named', () => {
    expect(draftOf(old)).toMatchObject({
      scratch: '2',
      kept: '5',
      keptFolder: 'out',
      keptDays: '7',
    });
    expect(unseenOf(old)).toEqual([
      'resources.storage[0]',
      'resources.storage[1].name',
      'resources.storage[2].name',
      'resources.compute[0].volumes[0]',
      'resources.compute[0].volumes[1]',
      'resources.compute[1]',
    ]);
  });

  test('keeps names, places and spelling of what did not change', () => {
    const [sky, , out] = Object(old.resources?.storage);
    const changed = documentOf({ ...draftOf(old), scratch: '3', keptFolder: 'results' });
    expect(changed.resources?.storage).toEqual([sky, { ...item, size: '3GiB' }, out]);
    expect(changed.resources?.compute?.[0]?.volumes).toEqual([
      { name: 'sky', path: 'sky', mode: 'r' },
      { name: 'big', path: '/scratch' },
      { name: 'out', path: 'results', mode: 'rw' },
    ]);
  });

  test('that goes takes its mounts with it', () => {
    const { resources } = documentOf({ ...draftOf(old), scratch: '', kept: '' });
    expect(resources).toEqual({
      compute: [{ 'min-cores': 2, volumes: [{ name: 'sky', path: 'sky', mode: 'r' }] }, {}],
      storage: [{ name: 'sky', type: `${TYPES}/https`, location: 'https://example.org/sky.fits' }],
    });
  });

  test.each([
    ['without a size', { name: 'a', type: `${TYPES}/ephemeral` }],
    [
      'with an object of an earlier job',
      { name: 'a', type: `${TYPES}/persistent`, size: 1, objectid: 'x' },
    ],
    [
      'that stays for a month',
      { name: 'a', type: `${TYPES}/persistent`, size: 1, lifetime: 'P1M' },
    ],
    ['that no job mounts', { name: 'a', type: `${TYPES}/persistent`, size: 1 }],
  ])('%s is kept beside that of the form', (what, other) => {
    const volumes = what === 'that no job mounts' ? [] : [{ name: 'a', path: 'a' }];
    const ask = typed({ task: TASK, resources: { compute: [{ volumes }], storage: [other] } });
    expect(draftOf(ask)).toMatchObject({ scratch: '', kept: '' });
    expect(unseenOf(ask)).toContain('resources.storage[0]');
    const { resources } = documentOf({ ...draftOf(ask), scratch: '1' });
    expect(resources?.storage).toEqual([other, expect.objectContaining({ name: 'scratch' })]);
  });

  test('gets a name that is free', () => {
    const other = { name: 'scratch', type: `${TYPES}/https`, location: 'https://example.org/' };
    const ask = typed({ task: TASK, resources: { storage: [other] } });
    const { resources } = documentOf({ ...draftOf(ask), scratch: '1' });
    expect(resources?.storage?.[1]).toMatchObject({ name: 'scratch-2', size: '1GiB' });
    expect(draftOf(documentOf({ ...draftOf(ask), scratch: '1' })).scratch).toBe('1');
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
