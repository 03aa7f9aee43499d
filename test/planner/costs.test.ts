import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Ask } from '../../src/planner/ask.ts';
import { findNearest } from '../../src/planner/nearest/nearest.ts';
import type { Change } from '../../src/planner/nearest/change.ts';
import type { Site } from '../../src/site/site.ts';
import { millicores, seconds } from '../../src/words/units.ts';
import { askFor, between, siteOf } from '../harness/asks.ts';
import { AT, decide, HOUR, offersOf, refusals, shown } from './decide.ts';

const EURO = 'https://example.org/costs/euro';
const GRAMS = 'https://example.org/costs/co2';
/** From 10:00 for as many seconds. */
function lasting(min: number | undefined, max = min) {
  return {
    start: { earliest: AT + HOUR, latest: AT + HOUR },
    duration: {
      min: min === undefined ? undefined : seconds(min),
      max: max === undefined ? undefined : seconds(max),
    },
  };
}
function upTo(max: number, type = EURO): Ask['costs'] {
  return [{ type, max }];
}
function codesOf(ask: Ask, site: Site): readonly unknown[] {
  return refusals(decide(ask, site)).map(({ code, destination, asked, limit }) =>
    [code, destination, asked?.value, limit?.value].join(' '),
  );
}

describe('what an offer costs', () => {
  const euro = { type: EURO, core: 0.1, memory: 0.05, gpu: 1, storage: 0.001, job: 0.25 };

  test('is the amounts by the hour, and a sum for each job; the types of the site side by side', () => {
    const site = siteOf({
      here: { costs: [euro, { type: GRAMS, description: 'g CO2', core: 20 }] },
    });
    const ask = askFor({ cores: 2, memoryGib: 4, windows: [lasting(1800, 7200)] });
    // An hour: that is between the bounds. 20 GiB of scratch space are the default.
    expect(offersOf(decide(ask, site))[0]?.promised.costs).toEqual([
      { type: EURO, min: 0.25 + (0.2 + 0.2 + 0.02) / 2, max: 0.25 + 0.2 + 0.2 + 0.02 },
      { type: GRAMS, description: 'g CO2', min: 20, max: 40 },
    ]);
  });

  test('has a minimum of the sum for each job if the ask names no shortest run', () => {
    const [offer] = offersOf(decide(askFor({}), siteOf({ here: { costs: [euro] } })));
    expect(offer?.promised.costs).toEqual([
      { type: EURO, min: 0.25, max: 0.25 + 0.1 + 0.05 + 0.02 },
    ]);
  });

  test('is not told where the site does not say it', () => {
    const [offer] = offersOf(decide(askFor({}), siteOf({ here: {} })));
    expect(offer?.promised).not.toHaveProperty('costs');
  });

  test('has no rounding errors: three times 0.1 is 0.3', () => {
    const site = siteOf({ here: { costs: [{ type: EURO, core: 0.1 }] } });
    const ask = askFor({ cores: 3, windows: [lasting(3600)], costs: upTo(0.3) });
    expect(offersOf(decide(ask, site))[0]?.promised.costs).toEqual([
      { type: EURO, min: 0.3, max: 0.3 },
    ]);
  });
});

describe('a limit of what the client pays', () => {
  const site = siteOf({
    dear: { costs: [{ type: EURO, core: 1 }] },
    cheap: { costs: [{ type: EURO, core: 0.1 }] },
  });

  test('leaves the destinations that cost no more', () => {
    const ask = askFor({ cores: 2, windows: [lasting(3600)], costs: upTo(1) });
    expect(shown(decide(ask, site))).toEqual(['cheap +60 2-2']);
  });

  test('that all destinations exceed is a NO with the price of each', () => {
    const ask = askFor({ cores: 2, windows: [lasting(3600)], costs: upTo(0.1) });
    expect(codesOf(ask, site)).toEqual([
      'cost-above-limit dear 0.1 2',
      'cost-above-limit cheap 0.1 0.2',
    ]);
  });

  test('in a unit that nobody has is a NO that names those of the site', () => {
    const ask = askFor({ windows: [lasting(3600)], costs: upTo(1, 'urn:shells') });
    expect(codesOf(ask, site)).toEqual([
      `cost-unknown dear urn:shells ${EURO}`,
      `cost-unknown cheap urn:shells ${EURO}`,
    ]);
    expect(codesOf(ask, siteOf({ free: {} }))).toEqual(['cost-unknown free urn:shells none']);
  });

  test('leaves only destinations that say what they cost', () => {
    const both = siteOf({ silent: {}, cheap: { costs: [{ type: EURO, core: 0.1 }] } });
    expect(shown(decide(askFor({ costs: upTo(1) }), both))).toEqual(['cheap +0 1-1']);
  });

  test('without a maximum is no limit, whatever its type', () => {
    const costs = [{ type: 'urn:shells', max: undefined }];
    expect(shown(decide(askFor({ costs }), site))).toHaveLength(2);
  });

  test('holds for each of several types', () => {
    const two = siteOf({
      green: {
        costs: [
          { type: EURO, core: 3 },
          { type: GRAMS, core: 1 },
        ],
      },
      brown: {
        costs: [
          { type: EURO, core: 1 },
          { type: GRAMS, core: 300 },
        ],
      },
    });
    const paying = (euros: number, grams: number) =>
      askFor({ windows: [lasting(3600)], costs: [...upTo(euros), ...upTo(grams, GRAMS)] });
    expect(shown(decide(paying(3, 10), two))).toEqual(['green +60 1-1']);
    expect(codesOf(paying(2, 10), two)).toEqual([
      'cost-above-limit green 2 3',
      'cost-above-limit brown 10 300',
    ]);
  });

  test('shortens a run within the bounds of the ask, and no further', () => {
    const run = (min: number | undefined, max: number) =>
      offersOf(decide(askFor({ windows: [lasting(min, 7200)], costs: upTo(max) }), site)).map(
        ({ destination, duration }) => `${destination} ${duration}`,
      );
    // An hour is what this site offers.
    expect(run(600, 2)).toEqual(['dear 3600', 'cheap 3600']);
    expect(run(600, 0.5)).toEqual(['dear 1800', 'cheap 3600']);
    expect(run(1800, 0.499)).toEqual(['cheap 3600']);
    expect(run(undefined, 0.5)).toEqual(['cheap 3600']);
  });

  test('leaves the windows that are short enough', () => {
    const ask = askFor({
      windows: [lasting(7200), between(AT + 3 * HOUR, AT + 4 * HOUR, 1800)],
      costs: upTo(0.5),
    });
    // The dear destination only in the later window, the cheap one in both.
    const starts = offersOf(decide(ask, site)).map(
      ({ destination, startsAt, duration }) =>
        `${destination} ${Math.floor((startsAt - AT) / HOUR)} ${duration}`,
    );
    expect(starts).toEqual(['dear 3 1800', 'dear 3 1800', 'cheap 1 7200', 'cheap 3 1800']);
  });

  test('limits how far an offer may grow', () => {
    const ask = askFor({ cores: 1, maxCores: 8, windows: [lasting(3600)], costs: upTo(0.45) });
    expect(shown(decide(ask, site))).toEqual(['cheap +60 1-1', 'cheap +60 1-4.5']);
  });

  test('leaves out larger flavours that cost more', () => {
    const flavours = ['s', 'm', 'l'].map((name, index) => ({
      name,
      cores: 2 ** index,
      memory: '4GiB',
    }));
    const sold = siteOf({ shop: { flavours, costs: [{ type: EURO, core: 1 }] } });
    const ask = askFor({ cores: 1, windows: [lasting(3600)], costs: upTo(2) });
    expect(shown(decide(ask, sold))).toEqual(['shop +60 1-1', 'shop +60 2-2']);
  });

  test('counts what a job beyond its minimum may use', () => {
    const shared = siteOf({ burst: { burst: { cores: 2 }, costs: [{ type: EURO, core: 1 }] } });
    const ask = askFor({ cores: 1, windows: [lasting(3600)], costs: upTo(1.5) });
    expect(codesOf(ask, shared)).toEqual(['cost-above-limit burst 1.5 2']);
  });

  test('is kept by every offer, whatever is asked', () => {
    const rate = fc.double({ min: 0, max: 3, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({ core: rate, memory: rate, storage: rate, job: rate }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.integer({ min: 60, max: 86_400 }),
        fc.integer({ min: 0, max: 90_000 }),
        fc.integer({ min: 1, max: 8 }),
        (rates, max, least, more, cores) => {
          const priced = siteOf({ here: { costs: [{ type: EURO, ...rates }] } });
          const window = lasting(least, Math.min(86_400, least + more));
          const ask = askFor({ cores, maxCores: 8, windows: [window], costs: upTo(max) });
          for (const { promised, duration } of offersOf(decide(ask, priced))) {
            expect(promised.costs?.[0]?.max).toBeLessThanOrEqual(max);
            expect(promised.costs?.[0]?.min).toBeLessThanOrEqual(max);
            expect(duration).toBeGreaterThanOrEqual(least);
            expect(promised.cores.min).toBe(cores * 1000);
          }
          // A NO is only of what the shortest and smallest run would cost.
          const shortest = { ...ask, costs: [], windows: [lasting(least)] as const };
          const price = offersOf(decide(shortest, priced))[0]?.promised.costs?.[0]?.max ?? Infinity;
          expect(offersOf(decide(ask, priced)).length > 0).toBe(price <= max);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('the nearest ask that costs no more', () => {
  const nearestTo = async (ask: Ask, site: Site, isYes: (ask: Change) => boolean = () => true) => {
    const found = await findNearest(
      { ask, site, now: AT },
      refusals(decide(ask, site)),
      (changes) => {
        const [destination] = site.destinations.keys();
        const { destination: id } =
          offersOf(decide(askFor({}), site)).find((one) => one.destination === destination) ?? {};
        return Promise.resolve(
          id !== undefined && changes.every(isYes)
            ? { kind: 'yes', destination: id }
            : { kind: 'no', ask, refusals: [] },
        );
      },
      { trials: 24, sure: 6, ms: 1000 },
      () => 0,
    );
    return found?.changes;
  };
  const site = siteOf({ here: { costs: [{ type: EURO, core: 1, job: 1 }] } });
  const ask = askFor({ cores: 4, windows: [lasting(7200)], costs: upTo(5) });

  test('runs for a shorter time', async () => {
    expect(await nearestTo(ask, site)).toEqual([{ what: 'duration', of: 0, to: 3600 }]);
  });

  test('has fewer cores', async () => {
    expect(await nearestTo(ask, site, ({ what }) => what !== 'duration')).toEqual([
      { what: 'cores', bound: 'min', of: 0, to: millicores(2000) },
    ]);
  });

  test('pays more where nothing else helps', async () => {
    expect(await nearestTo(ask, site, ({ what }) => what === 'cost')).toEqual([
      { what: 'cost', of: 0, to: 9 },
    ]);
  });

  test('names no limit in a unit that the site does not have', async () => {
    const other = { ...ask, costs: upTo(1, 'urn:shells') };
    expect(await nearestTo(other, site)).toEqual([{ what: 'cost', of: 0, to: undefined }]);
  });
});
