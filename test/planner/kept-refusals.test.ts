import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pack, unpack } from '../../src/planner/kept-refusals.ts';
import { reasonsOf } from '../../src/planner/recorded.ts';
import { coresOf, numberOf, sizeOf, textOf, type Refusal } from '../../src/planner/refusal.ts';
import { destinationId } from '../../src/words/ids.ts';

// Texts that would run into each other if they were only put one after the other.
const text = fc.constantFrom('', '-', 'a', 'a b', '1:a', 'a;', 'undefined');
const quantity = fc.oneof(fc.constantFrom(1, 2).map(coresOf), fc.constantFrom(1, 2).map(sizeOf), fc.constantFrom(1, 2).map(numberOf), text.map(textOf));
const refusal: fc.Arbitrary<Refusal> = fc.record({
  code: fc.constantFrom('above-capacity' as const, 'rule-failed' as const), path: text,
  destination: fc.constantFrom('a', 'b', 'c').map(destinationId), asked: quantity, limit: quantity, left: quantity,
  when: fc.constantFrom(0, 1), longest: fc.constantFrom(0, 1), quota: fc.constantFrom('jobs' as const, 'cores' as const), detail: text,
}, { requiredKeys: ['code', 'path'] });

describe('the reasons of a NO, as they are kept', () => {
  test('are all there again, in their order, after they were written and read', () => {
    fc.assert(fc.property(fc.array(refusal), (refusals) => {
      expect(unpack(JSON.parse(JSON.stringify(pack(refusals))))).toEqual(refusals);
    }), { numRuns: 500 });
  });

  test('are read from the records of earlier versions too', () => {
    const refusals: readonly Refusal[] = [{ code: 'not-ranked', path: 'task', destination: destinationId('a') }, { code: 'rule-failed', path: 'task' }];
    const nearest = { destination: destinationId('a'), changes: [] };
    expect(reasonsOf({ ...pack(refusals), nearest })).toEqual({ refusals, nearest });
    expect(reasonsOf(refusals)).toEqual({ refusals, nearest: undefined });
    expect(reasonsOf({ refusals, nearest })).toEqual({ refusals, nearest });
  });

  test('are written once, however many destinations give them', () => {
    const all = Array.from({ length: 1000 }, (_, index): readonly Refusal[] => {
      const destination = destinationId(`d${index}`);
      return [{ code: 'above-max-accepted', path: 'cores', destination, asked: coresOf(9), limit: coresOf(index % 2) }, { code: 'not-ranked', path: 'task', destination }];
    });
    expect(pack(all.flat()).lists).toHaveLength(2);
  });
});
