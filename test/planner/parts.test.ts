import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ComputePart } from '../../src/planner/ask.ts';
import type { Promised, PromisedStorage } from '../../src/planner/offer.ts';
import { machinesOf, scratchOfAll, sharesOf, totalsOf } from '../../src/planner/judge/parts.ts';
import { isNonEmpty, type NonEmpty } from '../../src/words/ids.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';

type Wanted = {
  readonly cores?: number;
  readonly maxCores?: number;
  readonly replicas?: number;
  readonly gpus?: number;
};

function parts(...wanted: readonly Wanted[]): NonEmpty<ComputePart> {
  const list = wanted.map(part);
  if (isNonEmpty(list)) return list;
  throw new Error('no part');
}

function part({ cores, maxCores, replicas = 1, gpus }: Wanted): ComputePart {
  return {
    name: undefined,
    platform: undefined,
    arch: undefined,
    volumes: [],
    replicas,
    cores: {
      min: cores === undefined ? undefined : millicores(cores),
      max: maxCores === undefined ? undefined : millicores(maxCores),
    },
    memory: { min: mebibytes(1024), max: undefined },
    gpus: gpus === undefined ? undefined : { type: 'urn:gpu', count: gpus },
  };
}

describe('several compute items of one ask', () => {
  test('are the sum of all of them and their replicas', () => {
    expect(
      totalsOf(
        parts(
          { cores: 1000, maxCores: 2000, gpus: 1 },
          { cores: 4000, maxCores: 4000, replicas: 3, gpus: 2 },
        ),
      ),
    ).toEqual({
      cores: { min: 13_000, max: 14_000 },
      memory: { min: 4096, max: undefined },
      gpus: { type: 'urn:gpu', count: 7 },
    });
  });

  test('count two cores for one that names none, and less where its maximum is less', () => {
    expect(totalsOf(parts({ cores: 1000 }, {}, { maxCores: 500 })).cores).toEqual({
      min: 3500,
      max: undefined,
    });
  });

  test('are what it says and no more, for a single one', () => {
    expect(totalsOf(parts({}))).toMatchObject({
      cores: { min: undefined, max: undefined },
      gpus: undefined,
    });
  });

  test('get their minimum at least, their maximum at most, and together what is promised', () => {
    const wanted = fc.record({
      cores: fc.integer({ min: 1, max: 4000 }),
      room: fc.option(fc.integer({ min: 0, max: 3000 })),
      replicas: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(
        fc.array(wanted, { minLength: 1, maxLength: 5 }),
        fc.nat(10_000),
        fc.nat(10_000),
        (items, more, growth) => {
          const list = parts(
            ...items.map(({ cores, room, replicas }) => ({
              cores,
              replicas,
              ...(room === null ? {} : { maxCores: cores + room }),
            })),
          );
          const total = totalsOf(list);
          const least = Math.min((total.cores.min ?? 0) + more, total.cores.max ?? Infinity);
          const cores = {
            min: millicores(least),
            max: millicores(Math.min(least + growth, total.cores.max ?? Infinity)),
          };
          const shares = sharesOf({
            parts: list,
            cores,
            memory: {
              min: mebibytes(total.memory.min ?? 0),
              max: mebibytes(total.memory.min ?? 0),
            },
            gpus: undefined,
          });
          for (const {
            part: { cores: asked },
            cores: given,
          } of shares) {
            expect(given.min).toBeGreaterThanOrEqual(asked.min ?? 0);
            expect(given.max).toBeGreaterThanOrEqual(given.min);
            // One alone gets what is promised, which the planner has held against its maximum.
            expect(shares.length === 1 || given.max <= (asked.max ?? Infinity)).toBe(true);
          }
          for (const bound of ['min', 'max'] as const) {
            const sum = shares.reduce(
              (all, share) => all + share.cores[bound] * share.part.replicas,
              0,
            );
            expect(sum).toBeLessThanOrEqual(cores[bound]);
          }
        },
      ),
    );
  });
});

describe('the machines of a promise', () => {
  const volume = (name: string): ComputePart['volumes'][number] => ({
    name,
    path: name,
    mode: 'rw',
  });
  const ephemeral = (name: string, size: number): PromisedStorage => ({
    kind: 'ephemeral',
    name,
    size: mebibytes(size),
  });
  /**
   * All that its items ask for, and scratch space as a destination has it that gives each
   * machine no less than `scratch`.
   */
  const promised = (
    list: NonEmpty<ComputePart>,
    storage: readonly PromisedStorage[],
    scratch: number,
    more: { cores?: number; memory?: number } = {},
  ): Promised => {
    const { cores, memory, gpus } = totalsOf(list);
    const range = (min: number | undefined, max: number | undefined, grows = 0): number =>
      Math.min((min ?? 0) + grows, max ?? Infinity);
    const [c, m] = [
      millicores(range(cores.min, cores.max, more.cores)),
      mebibytes(range(memory.min, memory.max, more.memory)),
    ];
    return {
      taskType: 'urn:task',
      task: { type: 'executable', command: ['true'], environment: {} },
      plugin: undefined,
      parts: list,
      gpus,
      storage,
      cores: { min: c, max: c },
      memory: { min: m, max: m },
      scratch: mebibytes(scratchOfAll(list, storage, mebibytes(scratch))),
    };
  };

  test('come item after item, replica after replica, each with the amounts of its item', () => {
    const [head, workers] = [
      { ...part({ cores: 1000, gpus: 1 }), name: 'head', volumes: [volume('a')] },
      { ...part({ cores: 2000, maxCores: 2000, replicas: 2 }), name: 'workers' },
    ];
    const machines = machinesOf(promised([head, workers], [ephemeral('a', 500)], 100));
    expect(machines.map(({ item, replica, replicas }) => [item, replica, replicas])).toEqual([
      ['head', 0, 1],
      ['workers', 0, 2],
      ['workers', 1, 2],
    ]);
    expect(
      machines.map(({ cores, scratch, gpus, volumes }) => [cores, scratch, gpus?.count, volumes]),
    ).toEqual([
      [1000, 500, 1, head.volumes],
      [2000, 100, undefined, []],
      [2000, 100, undefined, []],
    ]);
  });

  test('are the whole promise when there is one', () => {
    const [only] = machinesOf({
      ...promised(parts({ cores: 1000, gpus: 2 }), [], 700),
      cores: { min: millicores(1000), max: millicores(3000) },
    });
    expect(only).toMatchObject({
      cores: 3000,
      memory: 1024,
      scratch: 700,
      gpus: { count: 2 },
      replica: 0,
      replicas: 1,
    });
  });

  test('share what is promised, and each has room: the default, and that of its volumes', () => {
    const item = fc.record({
      cores: fc.option(fc.integer({ min: 1, max: 4000 }), { nil: undefined }),
      room: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
      replicas: fc.integer({ min: 1, max: 5 }),
      gpus: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      mounts: fc.subarray(['a', 'b', 'c']),
    });
    const sizes = fc.tuple(fc.nat(5000), fc.nat(5000));
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 5 }),
        sizes,
        fc.nat(3000),
        fc.nat(9000),
        fc.nat(9000),
        (items, [a, b], scratch, cores, memory) => {
          const list = items.map(({ room, mounts, cores: least, replicas, gpus }): ComputePart => ({
            ...part({
              replicas,
              ...(least === undefined
                ? {}
                : { cores: least, ...(room === undefined ? {} : { maxCores: least + room }) }),
              ...(gpus === undefined ? {} : { gpus }),
            }),
            volumes: mounts.map(volume),
          }));
          if (!isNonEmpty(list)) return;
          // Nobody says how much data there is in the third.
          const storage = [
            ephemeral('a', a),
            ephemeral('b', b),
            {
              kind: 'external',
              name: 'c',
              size: undefined,
              source: { kind: 'http', location: 'https://x' },
              isWritable: false,
              asked: { type: 'x' },
            } as const,
          ];
          const whole = promised(list, storage, scratch, { cores, memory });
          const machines = machinesOf(whole);
          expect(machines.map(({ volumes }) => volumes)).toEqual(
            list.flatMap(({ replicas, volumes }) =>
              Array.from({ length: replicas }, () => volumes),
            ),
          );
          for (const one of machines) {
            const held = one.volumes.reduce(
              (sum, { name }) => sum + (name === 'a' ? a : name === 'b' ? b : 0),
              0,
            );
            expect(one.scratch).toBeGreaterThanOrEqual(Math.max(held, scratch));
          }
          const sum = (of: (machine: (typeof machines)[number]) => number): number =>
            machines.reduce((total, one) => total + of(one), 0);
          expect(sum((one) => one.cores)).toBeLessThanOrEqual(whole.cores.max);
          expect(sum((one) => one.memory)).toBeLessThanOrEqual(whole.memory.max);
          expect(sum((one) => one.scratch)).toBeLessThanOrEqual(whole.scratch);
          expect(sum((one) => one.gpus?.count ?? 0)).toBe(whole.gpus?.count ?? 0);
        },
      ),
      { numRuns: 500 },
    );
  });
});
