import { describe, expect, test } from '@jest/globals';
import type { Ask } from '../../src/planner/ask.ts';
import { machinesOf } from '../../src/planner/judge/parts.ts';
import { millicores } from '../../src/words/units.ts';
import { askFor, siteOf } from '../harness/asks.ts';
import { gpusOf } from '../harness/site.ts';
import { AT, decide, HOUR, offersOf, refusals, shown, taking, takingMemory } from './decide.ts';

describe('an offer', () => {
  test('of a destination with flavours is the smallest that covers the minimum; larger ones follow', () => {
    const fixed = siteOf({
      fixed: {
        cores: 16,
        flavours: [
          { name: 's', cores: 2, memory: '8GiB' },
          { name: 'm', cores: 4, memory: '16GiB' },
          { name: 'l', cores: 8, memory: '32GiB' },
        ],
      },
    });
    expect(shown(decide(askFor({ cores: 3, maxCores: 8 }), fixed))).toEqual([
      'fixed +0 4-4',
      'fixed +0 8-8',
    ]);
    expect(shown(decide(askFor({ cores: 1, memoryGib: 12 }), fixed))).toEqual([
      'fixed +0 4-4',
      'fixed +0 8-8',
    ]);
    expect(refusals(decide(askFor({ cores: 3, maxCores: 3 }), fixed))).toMatchObject([
      { code: 'size-not-offered', destination: 'fixed', limit: { value: 's, m, l' } },
    ]);
  });

  test('is the next flavour where the first has no room or costs too much: neither is smaller in everything', () => {
    const flavours = [
      { name: 'fat', cores: 2, memory: '64GiB' },
      { name: 'wide', cores: 4, memory: '8GiB' },
    ];
    const costs = [{ type: 'urn:euro', memory: 1 }];
    const both = siteOf({ both: { cores: 16, memory: '128GiB', flavours, costs } });
    const ask = askFor({ cores: 1, memoryGib: 4 });
    const fat = { both: [takingMemory(100, AT, AT + 5 * HOUR)] };
    expect(shown(decide(ask, both))).toEqual(['both +0 2-2', 'both +0 4-4']);
    expect(shown(decide(ask, both, fat))).toEqual(['both +0 4-4']);
    expect(shown(decide({ ...ask, costs: [{ type: 'urn:euro', max: 8 }] }, both))).toEqual([
      'both +0 4-4',
    ]);
    // The wide one has room after an hour, the fat one after five.
    const none = { both: [...fat.both, takingMemory(24, AT, AT + HOUR)] };
    expect(refusals(decide(ask, both, none))).toMatchObject([
      { code: 'no-capacity-now', when: AT + HOUR },
    ]);
  });

  test('of a flavour with GPUs has all of them, and goes only to asks for GPUs', () => {
    const site2 = siteOf({
      a: {
        ...gpusOf({ 'urn:gpu': 4 }),
        flavours: [{ name: 'g', cores: 4, memory: '16GiB', gpus: { 'urn:gpu': 2 } }],
      },
    });
    expect(offersOf(decide(askFor({ gpus: 1 }), site2))[0]).toMatchObject({
      promised: { gpus: { count: 2 } },
      amount: { gpus: { count: 2 } },
    });
    expect(refusals(decide(askFor({}), site2))).toMatchObject([{ code: 'size-not-offered' }]);
  });

  test('of an elastic destination follows its minimum and its steps', () => {
    const elastic = siteOf({ a: { elastic: { cores: { min: 2, max: 6, step: 2 } } } });
    expect(shown(decide(askFor({ cores: 1, maxCores: 8 }), elastic))).toEqual([
      'a +0 2-2',
      'a +0 2-6',
    ]);
    expect(shown(decide(askFor({ cores: 3, maxCores: 5 }), elastic))).toEqual(['a +0 4-4']);
    expect(refusals(decide(askFor({ cores: 7 }), elastic))).toMatchObject([
      { code: 'size-not-offered', limit: { value: 6000 } },
    ]);
  });
});

describe('a destination that lets jobs go beyond their minimum', () => {
  const site = siteOf({ a: { burst: { cores: 2, memory: 1.5 } } });
  const first = (ask: Ask) => offersOf(decide(ask, site))[0];

  test('offers a multiple of the minimum, and reserves the minimum alone', () => {
    expect(shown(decide(askFor({ cores: 3, memoryGib: 2 }), site))).toEqual(['a +0 3-6']);
    expect(first(askFor({ cores: 3, memoryGib: 2 }))).toMatchObject({
      promised: { memory: { min: 2048, max: 3072 } },
      amount: { cores: 3000, memory: 2048 },
    });
    expect(shown(decide(askFor({ cores: 8 }), site, { a: [] }))).toEqual(['a +0 8-8']);
    const half = { a: [taking(4, AT, AT + 100 * HOUR)] };
    expect(shown(decide(askFor({ cores: 4 }), site, half))).toEqual(['a +0 4-8']);
    expect(refusals(decide(askFor({ cores: 5 }), site, half))).toMatchObject([
      { code: 'no-capacity-now', asked: { value: 5000 }, limit: { value: 4000 } },
    ]);
  });

  test("offers no more than the client's own maximum", () => {
    expect(shown(decide(askFor({ cores: 3, maxCores: 4 }), site))).toEqual(['a +0 3-4']);
    expect(shown(decide(askFor({ cores: 3, maxCores: 8 }), site))).toEqual(['a +0 3-6']);
  });

  test('lets each of several machines go beyond its own minimum', () => {
    const [part] = askFor({ cores: 1 }).parts;
    const parts: Ask['parts'] = [
      { ...part, name: 'head' },
      {
        ...part,
        name: 'workers',
        replicas: 2,
        cores: { min: millicores(1500), max: millicores(2000) },
      },
    ];
    const offer = first({ ...askFor({ cores: 4, memoryGib: 3 }), parts });
    expect(offer).toMatchObject({
      amount: { cores: 4000, memory: 3072 },
      promised: { cores: { min: 4000, max: 6000 } },
    });
    expect(
      offer &&
        machinesOf(offer.promised).map(({ item, cores, memory, guaranteed }) => [
          item,
          cores,
          memory,
          guaranteed,
        ]),
    ).toEqual([
      ['head', 2000, 1536, { cores: 1000, memory: 1024 }],
      ['workers', 2000, 1536, { cores: 1500, memory: 1024 }],
      ['workers', 2000, 1536, { cores: 1500, memory: 1024 }],
    ]);
  });
});
