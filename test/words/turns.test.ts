import { describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { limitConcurrency } from '../../src/words/concurrency.ts';

describe('turns', () => {
  test('lets a bounded number in at once and all in the end, also after failures', async () => {
    const limit = limitConcurrency(2);
    let inside = 0;
    let most = 0;
    const task = (index: number) =>
      limit(async () => {
        most = Math.max(most, (inside += 1));
        await delay(5);
        inside -= 1;
        if (index === 1) throw new Error('one fails');
        return index;
      });
    const results = await Promise.allSettled([0, 1, 2, 3, 4].map(task));
    expect([most, results.map(({ status }) => status)]).toEqual([
      2,
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
    ]);
  });
});
