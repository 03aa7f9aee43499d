import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { draftFor } from '../../../src/console/ask/document.ts';
import { prefilled } from '../../../src/console/ask/prefill.ts';
import { RESOURCES } from '../../../src/console/calendar/book.ts';
import { DAYS } from '../../../src/console/calendar/range.ts';
import { addressOfView, viewOf, type View } from '../../../src/console/calendar/picture/view.ts';
import { routeOf } from '../../../src/console/route.ts';

const views: fc.Arbitrary<View> = fc.record({
  resource: fc.constantFrom(...RESOURCES),
  days: fc.constantFrom(...DAYS),
  from: fc.option(fc.integer({ min: 0, max: 4e12 }), { nil: undefined }),
  destination: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
});

describe('what the calendar shows', () => {
  test('is all in its address', () => {
    fc.assert(
      fc.property(views, (view) => {
        const route = routeOf(addressOfView(view));
        expect(route.screen === 'calendar' && viewOf(route.fields)).toEqual(view);
      }),
    );
  });

  test('is a week of cores from now on where the address says nothing that is known', () => {
    const usual = { resource: 'cores', days: 7, from: undefined, destination: undefined };
    expect(viewOf(new URLSearchParams())).toEqual(usual);
    expect(viewOf(new URLSearchParams('show=discs&days=2&from=soon'))).toEqual(usual);
  });
});

describe('the form to ask', () => {
  const draft = { ...draftFor('urn:type', { command: ['true'] }), maxCores: '2', name: 'mine' };

  test('takes amounts and start from its address, and keeps the rest', () => {
    const fields = 'cores=16&memory=32&hours=6&gpu=a100&gpus=2&start=2026-11-24T21:00:00.000Z';
    expect(prefilled(draft, new URLSearchParams(fields))).toEqual({
      ...draft,
      minCores: '16',
      maxCores: '',
      memory: '32',
      hours: '6',
      gpuType: 'a100',
      gpuCount: '2',
      start: Date.UTC(2026, 10, 24, 21),
    });
  });

  test('stays as it is without fields', () => {
    expect(prefilled(draft, new URLSearchParams())).toBe(draft);
  });
});
