import { beforeEach, describe, expect, test } from '@jest/globals';
import { sharedNext } from '../../src/words/shared-work.ts';

describe('work that begins after the call', () => {
  /** the ends of what has begun, in order */
  let ends: ((error?: Error) => void)[];
  let work: () => Promise<number>;
  beforeEach(() => {
    ends = [];
    work = sharedNext(
      () =>
        new Promise<number>((answer, failed) => {
          const number = ends.length;
          ends.push((error) => (error === undefined ? answer(number) : failed(error)));
        }),
    );
  });
  const begun = async (): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve));
    return ends.length;
  };

  test('is done once for all who call together', async () => {
    const both = Promise.all([work(), work()]);
    expect(await begun()).toBe(1);
    ends[0]?.();
    expect(await both).toEqual([0, 0]);
  });

  test('is done once more for all who call while it is done', async () => {
    const first = work();
    expect(await begun()).toBe(1);
    const others = Promise.all([work(), work()]);
    expect(await begun()).toBe(1);
    ends[0]?.();
    expect([await first, await begun()]).toEqual([0, 2]);
    ends[1]?.();
    expect(await others).toEqual([1, 1]);
  });

  test('is done for those who wait although what went before failed', async () => {
    const first = work();
    expect(await begun()).toBe(1);
    const second = work();
    ends[0]?.(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await begun()).toBe(2);
    ends[1]?.();
    expect(await second).toBe(1);
  });
});
