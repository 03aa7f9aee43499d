import { describe, expect, test } from '@jest/globals';
import { createEventLoopYield } from '../../src/planner/event-loop.ts';

function turn(): Promise<unknown> {
  return new Promise((done) => setImmediate(done));
}

describe('work that takes milliseconds', () => {
  test('lets everybody else have a turn after each piece, in order of arrival', async () => {
    const turns = createEventLoopYield();
    const done: number[] = [];
    const all = Promise.all(
      Array.from({ length: 50 }, (_, piece) => turns.next().then(() => done.push(piece))),
    );
    const seen: number[] = [];
    while (done.length < 50) {
      await turn();
      seen.push(done.length);
    }
    await all;
    expect(done).toEqual(Array.from({ length: 50 }, (_, piece) => piece));
    expect(
      Math.max(...seen.map((count, index) => count - (seen[index - 1] ?? 0))),
    ).toBeLessThanOrEqual(1);
  });
});
