import { expect, test } from '@jest/globals';
import { statsIn } from '../../../src/runners/container/api/stats.ts';

test('the usage of a container is its processor time, and the most memory that was seen', () => {
  const stats = (nanos: number, memory: object) => ({
    cpu_stats: { cpu_usage: { total_usage: nanos } },
    memory_stats: memory,
  });
  const first = statsIn(stats(1.5e9, { usage: 30 * 2 ** 20 }), {});
  expect(first).toEqual({ processorS: 1.5, memoryMib: 30 });
  const next = statsIn(stats(2e9, { usage: 20 * 2 ** 20 }), first);
  expect(next).toEqual({ processorS: 2, memoryMib: 30 });
  // Version 1 of cgroups keeps the most; an engine says 0 of a container that is over.
  const kept = statsIn(stats(0, { usage: 2 ** 20, max_usage: 64 * 2 ** 20 }), next);
  expect(kept).toEqual({ processorS: 2, memoryMib: 64 });
  expect(statsIn('nothing', kept)).toEqual(kept);
});
