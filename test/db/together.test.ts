import { beforeEach, describe, expect, test } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { together } from '../../src/db/together.ts';

/** Sizes of the batches that were begun, and what ends the one that is written. */
let batches: number[];
let end: () => void;
/** Writes each item as its double, when the test ends its batch. */
let writeOne: (item: number) => Promise<number>;

beforeEach(() => {
  batches = [];
  writeOne = together(async (items: readonly number[]) => {
    batches.push(items.length);
    await new Promise<void>((done) => {
      end = done;
    });
    return items.map((item) => 2 * item);
  });
});

function write(amount: number): Promise<readonly number[]> {
  return Promise.all(Array.from({ length: amount }, (_, item) => writeOne(item)));
}

/** Ends the batch that is written, and lets the next begin. */
async function next(): Promise<void> {
  end();
  await turn();
  await turn();
}

describe('what is written together', () => {
  test('is all that comes in one turn of the event loop', async () => {
    const written = write(3);
    await turn();
    expect(batches).toEqual([3]);
    await next();
    expect(await written).toEqual([0, 2, 4]);
    expect(batches).toEqual([3]);
  });

  test('is shared evenly with the batch before, so that clients do not stay in step', async () => {
    const all = [write(1)];
    await turn();
    all.push(write(31));
    await next();
    expect(batches).toEqual([1, 16]);
    // The client of the first batch asks again.
    all.push(write(1));
    await next();
    expect(batches).toEqual([1, 16, 16]);
    await next();
    expect((await Promise.all(all)).flat()).toHaveLength(33);
  });

  test('is sent before the answers to the batch before are given', async () => {
    const first = write(1).then(() => batches.length);
    await turn();
    const second = write(2).then(() => batches.length);
    await next();
    expect(await first).toBe(2);
    await next();
    expect(await second).toBe(2);
  });

  test('is one batch when it is little, and full batches when it is much', async () => {
    const all = [write(1)];
    await turn();
    all.push(write(7));
    await next();
    all.push(write(300));
    for (let n = 0; n < 6; n += 1) await next();
    expect(batches).toEqual([1, 7, 64, 64, 64, 64, 44]);
    expect((await Promise.all(all)).flat()).toHaveLength(308);
  });
});
