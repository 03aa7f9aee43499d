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

/** What a text is, the page learns from the service alone. */
function typed(value: unknown): Ask {
  return Object(value);
}
