import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { NearestAsk } from '../../src/planner/nearest/nearest.ts';
import {
  keptNearest,
  pack,
  unpack,
  type KeptRefusal,
  reasonsOf,
} from '../../src/planner/record/kept-reasons.ts';
import { groupedReasons, type Reason } from '../../src/planner/reasons.ts';
import {
  coresQuantity,
  numberQuantity,
  sizeQuantity,
  textQuantity,
  type Refusal,
} from '../../src/planner/refusal.ts';
import { destinationId } from '../../src/words/ids.ts';
import { mebibytes } from '../../src/words/units.ts';
import { PLAINLY } from '../harness/asks.ts';

// Texts that would run into each other if they were only put one after the other.
const text = fc.constantFrom('', '-', 'a', 'a b', '1:a', 'a;', 'undefined');
const quantity = fc.oneof(
  fc.constantFrom(1, 2).map(coresQuantity),
  fc.constantFrom(1, 2).map(sizeQuantity),
  fc.constantFrom(1, 2).map(numberQuantity),
  text.map(textQuantity),
);
const refusal: fc.Arbitrary<Refusal> = fc.record(
  {
    code: fc.constantFrom(
      'above-capacity' as const,
      'rule-failed' as const,
      'no-capacity-now' as const,
      'task-type-not-here' as const,
    ),
    place: text.map((path) => ({ what: 'written' as const, path })),
    destination: fc.constantFrom('a', 'b', 'c').map(destinationId),
    resource: fc.constantFrom('cores' as const, 'memory' as const),
    asked: quantity,
    needed: quantity,
    limit: quantity,
    left: quantity,
    when: fc.constantFrom(0, 1),
    longest: fc.constantFrom(0, 1),
    quota: fc.constantFrom('jobs' as const, 'cores' as const),
    detail: text,
  },
  { requiredKeys: ['code', 'place'] },
);

/** A reason as it was said before it was grouped. */
function said({ path, ...rest }: Omit<Reason, 'destinations'>): Refusal {
  return { ...rest, place: { what: 'written', path } };
}

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}

function byAll(refusals: readonly Refusal[]): ReadonlySet<string> {
  return new Set(refusals.map(told));
}

/** What a refusal says, and whose it is. */
function told({ left: _left, longest: _longest, quota: _quota, place, ...said }: Refusal): string {
  return JSON.stringify([place, Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

describe('the reasons of a NO', () => {
  test('are one for each code, place and amounts, with all their destinations, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(refusal), (refusals) => {
        const grouped = groupedReasons(refusals, PLAINLY);
        const apart = grouped.flatMap(({ destinations, ...reason }): readonly Refusal[] =>
          destinations.length === 0
            ? [said(reason)]
            : destinations.map((destination) => ({ ...said(reason), destination })),
        );
        expect(byAll(apart)).toEqual(byAll(refusals));
        // Nobody says the same twice.
        expect(new Set(apart.map(told)).size).toBe(apart.length);
        const alike = grouped.map(({ destinations: _destinations, ...reason }) =>
          told(said(reason)),
        );
        // What is said of the ask itself stands apart from what a destination says.
        expect(
          new Set(
            grouped.map(({ destinations }, index) => `${destinations.length > 0} ${alike[index]}`),
          ).size,
        ).toBe(grouped.length);
      }),
      { numRuns: 500 },
    );
  });

  test('begin with faults of the ask, and end with destinations that never take such tasks', () => {
    const [big, small, busy, other] = ['big', 'small', 'busy', 'other'].map(destinationId);
    if (big === undefined || small === undefined || busy === undefined || other === undefined)
      throw new Error('no names');
    const grouped = groupedReasons(
      [
        {
          code: 'task-type-not-here',
          place: { what: 'written', path: 'task.type' },
          destination: other,
        },
        { code: 'gpu-type-not-here', place: { what: 'written', path: 'gpu' }, destination: other },
        { code: 'above-capacity', place: { what: 'written', path: 'cores' }, destination: small },
        { code: 'gpu-type-not-here', place: { what: 'written', path: 'gpu' }, destination: small },
        { code: 'gpu-type-not-here', place: { what: 'written', path: 'gpu' }, destination: big },
        { code: 'no-capacity-now', place: { what: 'written', path: 'cores' }, destination: busy },
        { code: 'time-past', place: { what: 'written', path: 'time[0]' } },
      ],
      PLAINLY,
    );
    expect(grouped.map(({ code, destinations }) => [code, ...destinations])).toEqual([
      ['time-past'],
      ['no-capacity-now', 'busy'],
      ['gpu-type-not-here', 'big', 'small', 'other'],
      ['above-capacity', 'small'],
      ['task-type-not-here', 'other'],
    ]);
  });
});

describe('the reasons of a NO, as they are kept', () => {
  test('are complete and in order after they were written and read', () => {
    fc.assert(
      fc.property(fc.array(refusal), (refusals) => {
        const reasons = groupedReasons(refusals, PLAINLY);
        expect(unpack(JSON.parse(JSON.stringify(pack(reasons))))).toEqual(reasons);
        // The names of the rule files come from elsewhere.
        const { destinations, ...kept } = pack(reasons, placesOf(['c', 'd', 'a']));
        const names = [...['c', 'd', 'a'].map(destinationId), ...destinations];
        expect(unpack({ ...kept, destinations: names })).toEqual(reasons);
      }),
      { numRuns: 500 },
    );
  });

  test('can be read from the records of earlier versions', () => {
    const refusals: readonly KeptRefusal[] = [
      { code: 'not-ranked', path: 'task', destination: destinationId('a') },
      { code: 'rule-failed', path: 'task', destination: destinationId('b') },
    ];
    const destination = destinationId('a');
    const kept = {
      destination,
      changes: [
        { what: 'max-memory' as const, of: 1, to: mebibytes(2) },
        { what: 'item' as const, of: 0, to: undefined },
      ],
    };
    const nearest: NearestAsk = {
      destination,
      changes: [
        { what: 'memory', bound: 'max', of: 1, to: mebibytes(2) },
        { what: 'item', of: 0, to: undefined },
      ],
    };
    expect(keptNearest(nearest)).toEqual(kept);
    const { reasons } = reasonsOf(refusals);
    expect(reasons.toReversed()).toEqual(
      refusals.map(({ destination, ...one }) => ({ ...one, destinations: [destination] })),
    );
    expect(reasonsOf({ ...pack(reasons), nearest: kept })).toEqual({ reasons, nearest });
    expect(
      unpack({
        destinations: ['a', 'b', 'c', 'd'].map(destinationId),
        reasons: [{ code: 'not-ranked', path: 'task', at: [0, 1, 3, 3] }],
      }),
    ).toEqual([{ code: 'not-ranked', path: 'task', destinations: ['a', 'b', 'd'] }]);
    expect(
      reasonsOf({
        lists: refusals.map(({ destination: _destination, ...one }) => [one]),
        of: [
          [destinationId('a'), 0],
          [destinationId('b'), 1],
        ],
        nearest: kept,
      }),
    ).toEqual({ reasons, nearest });
    expect(reasonsOf(refusals)).toEqual({ reasons, nearest: undefined });
    expect(reasonsOf({ refusals, nearest: kept })).toEqual({ reasons, nearest });
  });

  test('name no destination of the rule files, so that a thousand of them take no space', () => {
    const all = Array.from({ length: 1000 }, (_, index): readonly Refusal[] => {
      const destination = destinationId(`d${index}`);
      return [
        {
          code: 'above-max-accepted',
          place: { what: 'cores', bound: 'min', part: 0 },
          destination,
          asked: coresQuantity(9),
          limit: coresQuantity(1),
        },
        { code: 'not-ranked', place: { what: 'task' }, destination },
      ];
    });
    const names = Array.from({ length: 1000 }, (_, index) => `d${index}`);
    const kept = pack(groupedReasons(all.flat(), PLAINLY), placesOf(names));
    expect(kept).toMatchObject({ ofRules: 1000, destinations: [] });
    expect(kept.reasons.map(({ at }) => at)).toEqual(['0-999', '0-999']);
  });
});
