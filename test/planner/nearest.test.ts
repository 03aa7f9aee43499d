import { describe, expect, test } from '@jest/globals';
import type { Change } from '../../src/planner/nearest/change.ts';
import { findNearest, type AskTrial } from '../../src/planner/nearest/nearest.ts';
import type { AskPlace } from '../../src/planner/place.ts';
import {
  coresQuantity,
  numberQuantity,
  sizeQuantity,
  type Refusal,
} from '../../src/planner/refusal.ts';
import { destinationId } from '../../src/words/ids.ts';
import { millicores } from '../../src/words/units.ts';
import { askFor, between, siteOf } from '../harness/asks.ts';

const NOW = Date.UTC(2026, 7, 10, 10);
const HOUR = 3_600_000;
const BOUNDS = { trials: 24, sure: 6, ms: 1000 };
const CORES: AskPlace = { what: 'cores', bound: 'min', part: 0 };
const MEMORY: AskPlace = { what: 'memory', bound: 'min', part: 0 };
/** A bound of an amount in one word. */
function wordOf(change: Change): string {
  return 'bound' in change ? `${change.bound}-${change.what}` : change.what;
}
function still(): number {
  return 0;
}
const site = siteOf({ a: {}, b: {}, c: {} });
function at(destination: string, one: Omit<Refusal, 'destination'>): Refusal {
  return { ...one, destination: destinationId(destination) };
}

describe('the search for the nearest change', () => {
  const ask = askFor({ cores: 16, memoryGib: 32, windows: [between(NOW, NOW, 3600)] });
  const tooMuch = (destination: string, cores: number, memory?: number): readonly Refusal[] => [
    at(destination, {
      code: 'above-capacity',
      place: CORES,
      resource: 'cores',
      asked: coresQuantity(16_000),
      limit: coresQuantity(cores),
    }),
    ...(memory === undefined
      ? []
      : [
          at(destination, {
            code: 'above-capacity',
            place: MEMORY,
            resource: 'memory',
            asked: sizeQuantity(32_768),
            limit: sizeQuantity(memory),
          }),
        ]),
  ];
  const search = async (
    refusals: readonly Refusal[],
    trial: (changes: readonly Change[]) => AskTrial,
    bounds = BOUNDS,
    clock = still,
  ) => {
    const tried: (readonly Change[])[] = [];
    const found = await findNearest(
      { ask, site, now: NOW },
      refusals,
      (changes) => {
        tried.push(changes);
        return Promise.resolve(trial(changes));
      },
      bounds,
      clock,
    );
    return { found, tried };
  };
  const yes = (): AskTrial => ({ kind: 'yes', destination: destinationId('a') });
  const no = (refusals: readonly Refusal[]) => (): AskTrial => ({ kind: 'no', ask, refusals });

  test('begins with the fewest changed fields, and among those with the smallest change', async () => {
    const { tried } = await search(
      [...tooMuch('a', 8000, 16_384), ...tooMuch('b', 4000), ...tooMuch('c', 12_000)],
      no([]),
    );
    expect(tried.map((changes) => changes.map((change) => [wordOf(change), change.to]))).toEqual([
      [['min-cores', 12_000]],
      [['min-cores', 4000]],
      [
        ['min-cores', 8000],
        ['min-memory', 16_384],
      ],
    ]);
  });

  test('goes on with the reasons of what was tried, and adds what they call for', async () => {
    const full = at('a', {
      code: 'no-capacity-in-window',
      place: MEMORY,
      resource: 'memory',
      asked: sizeQuantity(32_768),
      limit: sizeQuantity(8192),
    });
    const { found } = await search(tooMuch('a', 8000), (changes) =>
      changes.length === 2 ? yes() : no([full])(),
    );
    expect(found).toEqual({
      destination: 'a',
      changes: [
        { what: 'cores', bound: 'min', of: 0, to: 8000 },
        { what: 'memory', bound: 'min', of: 0, to: 8192 },
      ],
    });
  });

  test('prefers a short delay to a much smaller task, and a slightly smaller task to a long delay', async () => {
    const busy = (cores: number, hours: number): Refusal =>
      at('a', {
        code: 'no-capacity-in-window',
        place: CORES,
        resource: 'cores',
        asked: coresQuantity(16_000),
        limit: coresQuantity(cores),
        when: NOW + hours * HOUR,
      });
    expect((await search([busy(2000, 0.25)], yes)).found?.changes).toMatchObject([
      { what: 'start' },
    ]);
    expect((await search([busy(14_000, 24)], yes)).found?.changes).toMatchObject([
      { what: 'cores', bound: 'min', to: 14_000 },
    ]);
  });

  test('does not try the same twice, and ends when nothing is left', async () => {
    const { found, tried } = await search(tooMuch('a', 8000), no(tooMuch('a', 8000)));
    expect([found, tried.length]).toEqual([undefined, 1]);
  });

  const endless = (changes: readonly Change[]): AskTrial =>
    no(tooMuch('a', Number(changes[0]?.to ?? 0) - 100))();

  test('ends after a fixed number of trials', async () => {
    expect(
      (await search(tooMuch('a', 8000), endless, { trials: 5, sure: 2, ms: 1000 })).tried,
    ).toHaveLength(5);
  });

  test('makes the first few trials however long they take, and none after the deadline', async () => {
    let time = 0;
    expect(
      (await search(tooMuch('a', 8000), endless, { ...BOUNDS, sure: 3 }, () => (time += 10_000)))
        .tried,
    ).toHaveLength(3);
  });

  test('ends when nothing can be tried and the time is over', async () => {
    let time = 0;
    const many = Array.from({ length: 40 }, (_, index) =>
      at(`d${index}`, {
        code: 'above-capacity',
        place: CORES,
        resource: 'cores',
        asked: coresQuantity(16_000),
        limit: coresQuantity(8000 + index),
      }),
    );
    expect(
      (
        await search(
          many,
          () => ({ kind: 'skipped' }),
          { ...BOUNDS, trials: 10 },
          () => (time += 10_000),
        )
      ).tried,
    ).toHaveLength(10);
  });

  test('marks the trials that are made in any case', async () => {
    const sure: boolean[] = [];
    await findNearest(
      { ask, site, now: NOW },
      tooMuch('a', 8000),
      (changes, isSure) => {
        sure.push(isSure);
        return Promise.resolve(endless(changes));
      },
      { trials: 4, sure: 2, ms: 1000 },
      still,
    );
    expect(sure).toEqual([true, true, false, false]);
  });

  test('does not try what all destinations share where each has another reason besides', async () => {
    const past: Refusal = {
      code: 'time-past',
      place: { what: 'window', window: 0 },
      asked: numberQuantity(0),
    };
    const { tried } = await search(
      [past, ...tooMuch('a', 8000), ...tooMuch('b', 8000), ...tooMuch('c', 8000)],
      no([]),
    );
    expect(tried.map((changes) => changes.map(wordOf).toSorted())).toEqual([
      ['min-cores', 'start'],
    ]);
    expect((await search([past, ...tooMuch('a', 8000)], no([]))).tried[0]).toMatchObject([
      { what: 'start' },
    ]);
  });

  test('finds nothing where a destination has a reason that no amount and no time meets', async () => {
    const type = at('a', { code: 'task-type-not-here', place: { what: 'task-type' } });
    expect((await search([...tooMuch('a', 8000), type], yes)).tried).toEqual([]);
    expect((await search([{ code: 'try-later', place: { what: 'task' } }], yes)).tried).toEqual([]);
  });

  test('guesses only when nothing is left that the reasons call for', async () => {
    const failed = at('b', { code: 'rule-failed', place: { what: 'task' } });
    const { tried } = await search([failed, ...tooMuch('a', 1000, 1024)], no([]));
    expect(tried[0]).toEqual([
      { what: 'cores', bound: 'min', of: 0, to: 1000 },
      { what: 'memory', bound: 'min', of: 0, to: 1024 },
    ]);
    expect(tried.length).toBeGreaterThan(1);
  });

  test('of several items makes one smaller by the whole excess, or each by its share', async () => {
    const [head] = ask.parts;
    const item = (cores: number, replicas: number) => ({
      ...head,
      replicas,
      cores: { min: millicores(cores), max: undefined },
    });
    const several = {
      ...ask,
      parts: [item(4000, 1), item(6000, 2)] as const,
      cores: { min: millicores(16_000), max: undefined },
    };
    const tried: (readonly Change[])[] = [];
    await findNearest(
      { ask: several, site, now: NOW },
      tooMuch('a', 14_000),
      (changes) => {
        tried.push(changes);
        return Promise.resolve({ kind: 'no', ask: several, refusals: [] });
      },
      BOUNDS,
      still,
    );
    expect(
      tried.map((changes) => changes.map((change) => [wordOf(change), change.of, change.to])),
    ).toEqual([
      [['min-cores', 1, 5000]],
      [['min-cores', 0, 2000]],
      [['item', 1, undefined]],
      [
        ['min-cores', 0, 3500],
        ['min-cores', 1, 5250],
      ],
    ]);
  });

  test('of several items is one machine where small changes find no room', async () => {
    const [head] = ask.parts;
    const item = (cores: number) => ({
      ...head,
      replicas: 2,
      cores: { min: millicores(cores), max: undefined },
    });
    const several = {
      ...ask,
      parts: [item(4000), item(2000)] as const,
      cores: { min: millicores(12_000), max: undefined },
    };
    const nearestWhere = (isYes: (changes: readonly Change[]) => boolean) =>
      findNearest(
        { ask: several, site, now: NOW },
        tooMuch('a', 11_000),
        (changes) =>
          Promise.resolve<AskTrial>(
            isYes(changes)
              ? { kind: 'yes', destination: destinationId('a') }
              : { kind: 'no', ask: several, refusals: [] },
          ),
        BOUNDS,
        still,
      );
    const isOne = (changes: readonly Change[]): boolean =>
      changes.some(({ what }) => what === 'item');
    expect((await nearestWhere(isOne))?.changes).toEqual([
      { what: 'replicas', of: 1, to: 1 },
      { what: 'item', of: 0, to: undefined },
    ]);
    expect(
      (await nearestWhere((changes) => isOne(changes) || changes.length === 2))?.changes,
    ).toMatchObject([
      { what: 'cores', bound: 'min', of: 0 },
      { what: 'cores', bound: 'min', of: 1 },
    ]);
    const type = at('a', { code: 'task-type-not-here', place: { what: 'task-type' } });
    expect(
      await findNearest(
        { ask: several, site: siteOf({ a: {} }), now: NOW },
        [...tooMuch('a', 11_000), type],
        () => Promise.resolve(yes()),
        BOUNDS,
        still,
      ),
    ).toBeUndefined();
  });

  test('needs only one of several times to be possible', async () => {
    const two = { ...ask, windows: [between(NOW - HOUR, NOW - HOUR), between(NOW, NOW)] as const };
    const past: Refusal = {
      code: 'time-past',
      place: { what: 'window', window: 0 },
      asked: numberQuantity(0),
    };
    const changes: (readonly Change[])[] = [];
    await findNearest(
      { ask: two, site, now: NOW },
      [past, ...tooMuch('a', 8000)],
      (tried) => {
        changes.push(tried);
        return Promise.resolve(yes());
      },
      BOUNDS,
      still,
    );
    expect(changes).toEqual([[{ what: 'cores', bound: 'min', of: 0, to: 8000 }]]);
  });
});
