import { describe, expect, test } from '@jest/globals';
import { createBoundedQueue } from '../../src/planner/nearest/bounded-queue.ts';

/** Works that end when they are told to, and how many were under way at a time. */
function openWorks() {
  const ends: (() => void)[] = [];
  const seen = { under: 0, most: 0, begun: 0 };
  const work = async (): Promise<'done'> => {
    seen.begun += 1;
    seen.under += 1;
    seen.most = Math.max(seen.most, seen.under);
    await new Promise<void>((end) => ends.push(end));
    seen.under -= 1;
    return 'done';
  };
  const endAll = async (): Promise<void> => {
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end();
      await new Promise((soon) => setImmediate(soon));
    }
  };
  return { work, seen, endAll };
}

describe('lanes', () => {
  test('run a bounded number at once, and the rest when there is room', async () => {
    const { work, seen, endAll } = openWorks();
    const lanes = createBoundedQueue(2, 10);
    const all = Promise.all(Array.from({ length: 12 }, () => lanes.run(work)));
    await endAll();
    expect(await all).toEqual(Array.from({ length: 12 }, () => 'done'));
    expect(seen).toMatchObject({ most: 2, begun: 12, under: 0 });
  });

  test('reject new work while too much waits, and take it again afterwards', async () => {
    const { work, seen, endAll } = openWorks();
    const lanes = createBoundedQueue(1, 2);
    const all = Promise.all(Array.from({ length: 5 }, () => lanes.run(work)));
    await endAll();
    expect(await all).toEqual(['done', 'done', 'done', undefined, undefined]);
    const later = lanes.run(work);
    await endAll();
    expect([await later, seen.begun]).toEqual(['done', 4]);
  });

  test('go on after work that fails', async () => {
    const lanes = createBoundedQueue(1, 1);
    const failing = lanes.run(() => Promise.reject(new Error('broken')));
    const next = lanes.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });
});
