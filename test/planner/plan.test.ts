import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plan, type Plan } from '../../src/planner/plan/answer.ts';
import { shortlist } from '../../src/planner/judge/shortlist.ts';
import type { Ask, AskWindow } from '../../src/planner/ask.ts';
import type { Proposal } from '../../src/planner/offer.ts';
import { machinesOf } from '../../src/planner/judge/parts.ts';
import { spanOf } from '../../src/planner/plan/windows.ts';
import { envelope } from '../../src/schedule/envelope.ts';
import { freeDuring, type Taken } from '../../src/schedule/profile.ts';
import { closuresOf, takenBy } from '../../src/site/maintenance.ts';
import type { Site } from '../../src/site/site.ts';
import { loadRules, weigh } from '../../src/vortex/index.ts';
import { isNonEmpty } from '../../src/words/ids.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';
import { askFor, between, NOW, siteOf } from '../harness/asks.ts';
import { gpusOf } from '../harness/site.ts';
import { describeForRules } from '../../src/planner/considering.ts';

const AT = Date.UTC(2026, 7, 10, 10);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function decide(
  ask: Ask,
  site: Site,
  taken: Readonly<Record<string, readonly Taken[]>> = {},
  tool: object = {},
): Plan {
  const rules = {
    tools: { 'executable/true': tool },
    destinations: Object.fromEntries(
      [...site.destinations.keys()].map((id) => [id, { runner: 'process' }]),
    ),
  };
  const loaded = loadRules([{ name: 'rules.yml', text: JSON.stringify(rules) }], 'digest');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const considered = weigh(
    loaded.rules,
    describeForRules(ask, { kind: 'anonymous' }),
    { random: () => 0, now: () => AT },
    null,
  );
  return plan(ask, site, shortlist(ask, site, considered), {
    now: AT,
    taken: new Map(Object.entries(taken)),
  });
}

function taking(cores: number, start: number, end: number): Taken {
  return {
    during: { start, end },
    amount: {
      cores: millicores(cores * 1000),
      memory: mebibytes(0),
      scratch: mebibytes(0),
      gpus: undefined,
    },
  };
}

function shown(planned: Plan): readonly string[] {
  return offersOf(planned).map(
    ({ destination, startsAt, promised: { cores } }) =>
      `${destination} +${(startsAt - AT) / MINUTE} ${cores.min / 1000}-${cores.max / 1000}`,
  );
}

function offersOf(planned: Plan): readonly Proposal[] {
  return planned.result === 'YES' ? planned.proposals : [];
}

function refusals(planned: Plan) {
  return planned.result === 'NO' ? planned.refusals : [];
}

function inRange({ start }: AskWindow, at: number): boolean {
  return start === 'now' ? at === AT : start.earliest <= at && at <= start.latest;
}

describe('an offer', () => {
  const times = fc
    .record({
      start: fc.integer({ min: -120, max: 600 }),
      wide: fc.nat(240),
      duration: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    })
    .map(({ start, wide, duration }) =>
      between(
        AT + start * MINUTE,
        AT + (start + wide) * MINUTE,
        duration === undefined ? undefined : duration * 60,
      ),
    );
  const windows = fc.array(fc.oneof(times, times, fc.constant(NOW)), {
    minLength: 1,
    maxLength: 3,
  });
  const reserved = fc.array(
    fc
      .record({
        start: fc.integer({ min: -60, max: 700 }),
        length: fc.integer({ min: 1, max: 300 }),
        cores: fc.integer({ min: 1, max: 3 }),
      })
      .map(({ start, length, cores }) =>
        taking(cores, AT + start * MINUTE, AT + (start + length) * MINUTE),
      ),
    { maxLength: 8 },
  );
  const site = siteOf({
    plain: {},
    small: { cores: 4 },
    fixed: {
      cores: 16,
      flavours: [
        { name: 's', cores: 2, memory: '8GiB' },
        { name: 'm', cores: 4, memory: '16GiB' },
        { name: 'l', cores: 8, memory: '32GiB' },
      ],
    },
    steps: { prepare: 'PT5M', elastic: { cores: { min: 2, max: 8, step: 2 } } },
    away: {
      maintenance: [
        { start: '2026-08-10T12:00', duration: 'PT2H', rrule: 'FREQ=DAILY' },
        { start: '2026-08-10T17:00', duration: 'PT1H', cores: 5 },
      ],
    },
  });

  test('starts in a window, is between minimum and maximum, and fits beside all that is taken', () => {
    fc.assert(
      fc.property(
        windows,
        reserved,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 6 }),
        (list, taken, cores, more) => {
          if (!isNonEmpty(list)) return;
          const ask = askFor({ cores, maxCores: cores + more, windows: list });
          const books = Object.fromEntries([...site.destinations.keys()].map((id) => [id, taken]));
          const planned = decide(ask, site, books);
          for (const [id, offers] of Map.groupBy(
            offersOf(planned),
            ({ destination }) => destination,
          )) {
            const destination = site.destinations.get(id);
            if (destination === undefined) throw new Error(id);
            for (const { startsAt, expiresAt, promised, duration, prepare } of offers) {
              const latest = Math.max(startsAt, expiresAt + prepare * 1000);
              // As offered, and accepted in the last moment: both are within one
              // window, which has that duration.
              expect(
                list.some(
                  (window) =>
                    (window.start === 'now'
                      ? startsAt === AT + prepare * 1000
                      : inRange(window, startsAt) && inRange(window, latest)) &&
                    (window.duration.min ?? 0) <= duration &&
                    duration <= (window.duration.max ?? Infinity),
                ),
              ).toBe(true);
              expect(promised.cores.min).toBeGreaterThanOrEqual(cores * 1000);
              expect(promised.cores.max).toBeLessThanOrEqual((cores + more) * 1000);
            }
            const closed = closuresOf(destination.maintenance, {
              start: AT,
              end: AT + 48 * HOUR,
            }).flatMap((one) => takenBy(one, destination.capacity));
            const holds = envelope(
              offers.map((one) => ({ during: spanOf(one), amount: one.amount })),
            );
            for (const hold of holds) {
              const free = freeDuring(destination.capacity, [...taken, ...closed], hold.during);
              expect(free.cores).toBeGreaterThanOrEqual(hold.amount.cores);
              expect(free.memory).toBeGreaterThanOrEqual(hold.amount.memory);
            }
          }
          expect(
            planned.result === 'YES' ? planned.proposals.length : planned.refusals.length,
          ).toBeGreaterThan(0);
          expect(offersOf(planned).length).toBeLessThanOrEqual(4);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('has the first start at which it fits', () => {
    const planned = decide(
      askFor({ cores: 6, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ one: {} }),
      { one: [taking(4, AT - HOUR, AT + 90 * MINUTE)] },
    );
    expect(shown(planned)[0]).toBe('one +90 6-6');
  });

  test('comes in the order of destinations, then of start: first possible, larger, later', () => {
    const planned = decide(
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ a: {}, b: {} }),
    );
    expect(shown(planned)).toEqual(['a +0 2-2', 'a +0 2-4', 'a +60.5 2-2', 'b +0 2-2']);
    const now = decide(askFor({ cores: 2, maxCores: 4 }), siteOf({ a: {}, b: {} }));
    expect(shown(now)).toEqual(['a +0 2-2', 'a +0 2-4', 'b +0 2-2', 'b +0 2-4']);
    const alone = decide(
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
      siteOf({ a: {} }, { release: 'PT1M' }),
    );
    expect(shown(alone)).toEqual(['a +0 2-2', 'a +0 2-4', 'a +61 2-2']);
  });

  test('is larger or later in one case each; the others are the first starts at the best destinations', () => {
    const many = (most?: number) =>
      siteOf(
        Object.fromEntries([...'abcdef'].map((id) => [id, {}])),
        most === undefined ? {} : { 'max-offers': most },
      );
    const [growing, growingLater] = [
      askFor({ cores: 2, maxCores: 4 }),
      askFor({ cores: 2, maxCores: 4, windows: [between(AT, AT + 12 * HOUR)] }),
    ];
    expect(shown(decide(growing, many()))).toEqual([
      'a +0 2-2',
      'a +0 2-4',
      'b +0 2-2',
      'c +0 2-2',
    ]);
    expect(shown(decide(growingLater, many()))).toEqual([
      'a +0 2-2',
      'a +0 2-4',
      'a +60.5 2-2',
      'b +0 2-2',
    ]);
    expect(shown(decide(growingLater, many(3)))).toEqual(['a +0 2-2', 'a +0 2-4', 'b +0 2-2']);
    expect(shown(decide(growingLater, many(2)))).toEqual(['a +0 2-2', 'b +0 2-2']);
    expect(shown(decide(askFor({ cores: 2 }), many()))).toEqual([
      'a +0 2-2',
      'b +0 2-2',
      'c +0 2-2',
      'd +0 2-2',
    ]);
  });

  test('is a larger one of the best destination that has room for it', () => {
    const site2 = siteOf({ a: { cores: 2 }, b: { cores: 2 }, c: { cores: 2 }, d: { cores: 8 } });
    expect(shown(decide(askFor({ cores: 2, maxCores: 4 }), site2))).toEqual([
      'a +0 2-2',
      'b +0 2-2',
      'c +0 2-2',
      'd +0 2-4',
    ]);
  });

  test('can be one for each of the alternative times', () => {
    const planned = decide(
      askFor({ windows: [between(AT + 5 * HOUR, AT + 5 * HOUR), between(AT + HOUR, AT + HOUR)] }),
      siteOf({ a: {} }),
    );
    expect(shown(planned)).toEqual(['a +60 1-1', 'a +300 1-1']);
  });

  test('lasts as long as was asked, else as the site says, and never longer than it allows', () => {
    const site2 = siteOf({ a: {} }, { duration: 'PT2H', longest: 'PT6H' });
    const duration = (window: Partial<AskWindow['duration']>): number | undefined =>
      offersOf(
        decide(
          askFor({
            windows: [{ ...NOW, duration: { min: undefined, max: undefined, ...window } }],
          }),
          site2,
        ),
      )[0]?.duration;
    const [
      {
        duration: { min: hour },
      },
    ] = [between(0, 0, 3600)];
    const [
      {
        duration: { min: day },
      },
    ] = [between(0, 0, 86_400)];
    expect([
      duration({}),
      duration({ max: hour }),
      duration({ min: hour }),
      duration({ max: day }),
    ]).toEqual([7200, 3600, 7200, 7200]);
    expect(refusals(decide(askFor({ windows: [between(AT, AT, 86_400)] }), site2))).toMatchObject([
      { code: 'duration-too-long', asked: { value: 86_400 }, limit: { value: 21_600 } },
    ]);
  });

  test('of an exact start expires before the preparation for it has to begin', () => {
    const [offer] = offersOf(
      decide(
        askFor({ windows: [between(AT + 3 * MINUTE, AT + 3 * MINUTE)] }),
        siteOf({ a: { prepare: 'PT2M' } }),
      ),
    );
    expect([offer?.startsAt, offer?.expiresAt]).toEqual([AT + 3 * MINUTE, AT + MINUTE]);
  });

  test('for now starts when the destination can be ready', () => {
    expect(shown(decide(askFor({}), siteOf({ a: { prepare: 'PT2M' } })))).toEqual(['a +2 1-1']);
  });

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

describe('a NO', () => {
  test('names each shortage, what is free at most, and when it would fit', () => {
    const one = siteOf({ one: {} });
    const taken = { one: [taking(5, AT, AT + 2 * HOUR), taking(3, AT + 2 * HOUR, AT + 3 * HOUR)] };
    expect(refusals(decide(askFor({ cores: 6 }), one, taken))).toMatchObject([
      {
        code: 'no-capacity-now',
        place: { what: 'cores' },
        destination: 'one',
        asked: { value: 6000 },
        limit: { value: 3000 },
        when: AT + 3 * HOUR,
      },
    ]);
    expect(
      refusals(
        decide(askFor({ cores: 6, windows: [between(AT + HOUR, AT + 2 * HOUR)] }), one, taken),
      ),
    ).toMatchObject([
      {
        code: 'no-capacity-in-window',
        asked: { value: 6000 },
        limit: { value: 5000 },
        when: AT + 3 * HOUR,
      },
    ]);
  });

  test('says so when each resource is free at some time but not all together', () => {
    const noMemory: Taken = {
      during: { start: AT, end: AT + 3 * HOUR },
      amount: {
        cores: millicores(0),
        memory: mebibytes(60 * 1024),
        scratch: mebibytes(0),
        gpus: undefined,
      },
    };
    const taken = { one: [noMemory, taking(8, AT + 3 * HOUR, AT + 30 * HOUR)] };
    const [reason, ...more] = refusals(
      decide(
        askFor({ cores: 6, memoryGib: 32, windows: [between(AT, AT + 4 * HOUR)] }),
        siteOf({ one: {} }),
        taken,
      ),
    );
    expect(more).toEqual([]);
    expect(reason).toMatchObject({
      code: 'no-capacity-in-window',
      place: { what: 'window', window: 0 },
      detail:
        'Each resource alone is free for long enough at some start, but not all of them together.',
      when: AT + 30 * HOUR,
    });
  });

  test('names the maintenance that is in the way, with its reason', () => {
    const away = siteOf({
      one: { maintenance: [{ start: '2026-08-10T12:00', duration: 'PT2H', reason: 'new disks' }] },
    });
    expect(
      refusals(decide(askFor({ windows: [between(AT + 2 * HOUR, AT + 3 * HOUR)] }), away)),
    ).toMatchObject([
      {
        code: 'maintenance',
        destination: 'one',
        detail: 'new disks, until 2026-08-10T14:00:00.000Z.',
        when: AT + 4 * HOUR,
      },
    ]);
  });

  test('says which time is past, too far ahead, or too soon to be ready', () => {
    const one = siteOf({ one: { prepare: 'PT10M' } }, { horizon: 'P2D' });
    const windows = [between(AT - HOUR, AT - 1), between(AT + 49 * HOUR, AT + 50 * HOUR)] as const;
    expect(refusals(decide(askFor({ windows }), one))).toMatchObject([
      {
        code: 'time-past',
        asked: { value: '2026-08-10T09:59:59.999Z' },
        limit: { value: '2026-08-10T10:00:00.000Z' },
      },
      { code: 'time-beyond-horizon', limit: { value: '2026-08-12T10:00:00.000Z' } },
    ]);
    expect(
      refusals(decide(askFor({ windows: [between(AT + MINUTE, AT + MINUTE)] }), one)),
    ).toMatchObject([
      {
        code: 'lead-time-too-short',
        destination: 'one',
        asked: { value: '2026-08-10T10:01:00.000Z' },
        limit: { value: '2026-08-10T10:10:00.000Z' },
        when: AT + 10 * MINUTE,
      },
    ]);
  });

  test('names every destination where a rule asks for more than there is a unit for', () => {
    const site = siteOf({
      any: {},
      steps: { elastic: { cores: { min: 2, max: 8, step: 2 } } },
      fixed: { flavours: [{ name: 's', cores: 2, memory: '8GiB' }] },
      burst: { burst: { cores: 2, memory: 2 } },
    });
    for (const tool of [{ cores: 1e12 }, { mem: 1e15 }, { cores: 1e300, mem: 1e300 }]) {
      const found = refusals(decide(askFor({}), site, {}, tool));
      expect(new Set(found.map(({ destination }) => `${destination}`))).toEqual(
        new Set(['any', 'steps', 'fixed', 'burst']),
      );
    }
    expect(shown(decide(askFor({ maxCores: 4 }), site, {}, { max_cores: 1e300 }))).toContain(
      'any +0 1-4',
    );
  });

  test('becomes a YES when one of the alternatives can be had', () => {
    expect(
      shown(
        decide(
          askFor({ windows: [between(AT - HOUR, AT - 1), between(AT + HOUR, AT + HOUR)] }),
          siteOf({ one: {} }),
        ),
      ),
    ).toEqual(['one +60 1-1']);
  });

  test('that names a time is a YES at that time', () => {
    const reserved = fc.array(
      fc.record({
        start: fc.integer({ min: -60, max: 400 }),
        length: fc.integer({ min: 1, max: 200 }),
        cores: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(reserved, fc.integer({ min: 5, max: 8 }), (rows, cores) => {
        const taken = {
          one: rows.map(({ start, length, cores: c }) =>
            taking(c, AT + start * MINUTE, AT + (start + length) * MINUTE),
          ),
        };
        const [reason] = refusals(decide(askFor({ cores }), siteOf({ one: {} }), taken));
        if (reason?.when === undefined) return;
        expect(
          shown(
            decide(
              askFor({ cores, windows: [between(reason.when, reason.when)] }),
              siteOf({ one: {} }),
              taken,
            ),
          ),
        ).toEqual([`one +${(reason.when - AT) / MINUTE} ${cores}-${cores}`]);
      }),
    );
  });
});
