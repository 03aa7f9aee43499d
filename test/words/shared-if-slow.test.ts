import { beforeEach, describe, expect, test } from '@jest/globals';
import { sharedIfSlow } from '../../src/words/shared-for.ts';

let now: number;
let done: number;
/** Takes as long as the test lets it, and answers how often it was done. */
let work: () => Promise<number>;
let end: (error?: Error) => void;

beforeEach(() => {
  now = 0;
  done = 0;
  work = sharedIfSlow(
    () => now,
    () =>
      new Promise<number>((answer, failed) => {
        done += 1;
        end = (error) => (error === undefined ? answer(done) : failed(error));
      }),
  );
});

/** Calls at this time; the work takes so many milliseconds. */
async function callAt(time: number, took: number): Promise<number> {
  now = time;
  const answer = work();
  now += took;
  end();
  return answer;
}

describe('work that is shared if it is slow', () => {
  test('is done for each caller while it is quick', async () => {
    expect([await callAt(0, 999), await callAt(1000, 999)]).toEqual([1, 2]);
  });

  test('has an answer that is valid ten times as long as it took', async () => {
    expect(await callAt(0, 2000)).toBe(1);
    expect(await callAt(2001, 0)).toBe(1);
    expect(await callAt(21_999, 0)).toBe(1);
    expect(await callAt(22_000, 0)).toBe(2);
  });

  test('is shared by those who call while it is done', async () => {
    const both = Promise.all([work(), work()]);
    end();
    expect(await both).toEqual([1, 1]);
  });

  test('is repeated at once after it failed', async () => {
    const failed = work();
    now = 5000;
    end(new Error('no answer'));
    await expect(failed).rejects.toThrow('no answer');
    expect(await callAt(5001, 0)).toBe(2);
  });
});
