import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ComputePart } from '../../src/planner/ask.ts';
import { sharesOf, totalsOf } from '../../src/planner/parts.ts';
import { isNonEmpty, type NonEmpty } from '../../src/words/ids.ts';
import { mebibytes, millicores } from '../../src/words/units.ts';

type Wanted = { readonly cores?: number; readonly maxCores?: number; readonly replicas?: number; readonly gpus?: number };

const part = ({ cores, maxCores, replicas = 1, gpus }: Wanted): ComputePart => ({
  name: undefined, platform: undefined, arch: undefined, volumes: [], path: 'resources.compute[0]', replicas,
  cores: { min: cores === undefined ? undefined : millicores(cores), max: maxCores === undefined ? undefined : millicores(maxCores) },
  memory: { min: mebibytes(1024), max: undefined },
  gpus: gpus === undefined ? undefined : { type: 'urn:gpu', count: gpus },
});
const parts = (...wanted: readonly Wanted[]): NonEmpty<ComputePart> => {
  const list = wanted.map(part);
  if (isNonEmpty(list)) return list;
  throw new Error('no part');
};

describe('several compute items of one ask', () => {
  test('are the sum of all of them and their replicas', () => {
    expect(totalsOf(parts({ cores: 1000, maxCores: 2000, gpus: 1 }, { cores: 4000, maxCores: 4000, replicas: 3, gpus: 2 }))).toEqual({
      cores: { min: 13_000, max: 14_000 }, memory: { min: 4096, max: undefined }, gpus: { type: 'urn:gpu', count: 7 },
    });
  });

  test('count two cores for one that names none, and less where its maximum is less', () => {
    expect(totalsOf(parts({ cores: 1000 }, {}, { maxCores: 500 })).cores).toEqual({ min: 3500, max: undefined });
  });

  test('one alone asks for what it says and no more', () => {
    expect(totalsOf(parts({}))).toMatchObject({ cores: { min: undefined, max: undefined }, gpus: undefined });
  });

  test('get each no less than it asked for, no more than its maximum, and together no more than is promised', () => {
    const wanted = fc.record({ cores: fc.integer({ min: 1, max: 4000 }), room: fc.option(fc.integer({ min: 0, max: 3000 })), replicas: fc.integer({ min: 1, max: 5 }) });
    fc.assert(fc.property(fc.array(wanted, { minLength: 1, maxLength: 5 }), fc.nat(10_000), fc.nat(10_000), (items, more, growth) => {
      const list = parts(...items.map(({ cores, room, replicas }) => ({ cores, replicas, ...(room === null ? {} : { maxCores: cores + room }) })));
      const total = totalsOf(list);
      const least = Math.min((total.cores.min ?? 0) + more, total.cores.max ?? Infinity);
      const cores = { min: millicores(least), max: millicores(Math.min(least + growth, total.cores.max ?? Infinity)) };
      const shares = sharesOf({ parts: list, cores, memory: { min: mebibytes(total.memory.min ?? 0), max: mebibytes(total.memory.min ?? 0) }, gpus: undefined });
      for (const { part: { cores: asked }, cores: given } of shares) {
        expect(given.min).toBeGreaterThanOrEqual(asked.min ?? 0);
        expect(given.max).toBeGreaterThanOrEqual(given.min);
        // One alone gets what is promised, which the planner has held against its maximum.
        expect(shares.length === 1 || given.max <= (asked.max ?? Infinity)).toBe(true);
      }
      for (const bound of ['min', 'max'] as const) {
        const sum = shares.reduce((all, share) => all + share.cores[bound] * share.part.replicas, 0);
        expect(sum).toBeLessThanOrEqual(cores[bound]);
      }
    }));
  });
});
