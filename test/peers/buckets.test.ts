import { describe, expect, test } from '@jest/globals';
import { openBuckets, type Buckets, type Takings } from '../../src/peers/buckets.ts';

type Listener = Parameters<Takings['hear']>[0];

/** Two planners that tell each other when `deliver` is called. */
function pair(clock: () => number): { one: Buckets; two: Buckets; deliver: () => void } {
  const [toOne, toTwo]: Listener[][] = [[], []];
  const told: (() => void)[] = [];
  const open = (to: Listener[] = [], mine: Listener[] = []): Buckets =>
    openBuckets(clock, {
      tell: (item) => void told.push(() => to.forEach((listener) => listener(item))),
      hear: (listener) => void mine.push(listener),
    });
  return {
    one: open(toTwo, toOne),
    two: open(toOne, toTwo),
    deliver: () => told.splice(0).forEach((tell) => tell()),
  };
}

describe('what a minute allows the planners of one service together', () => {
  test('can be taken at either, and what one takes is gone at the other', () => {
    const { one, two, deliver } = pair(() => 0);
    one.take('ada', 2);
    deliver();
    expect(two.left('ada', 2)).toBe(1);
    two.take('ada', 2);
    deliver();
    expect([one.wait('ada', 2), two.wait('ada', 2)]).toEqual([30, 30]);
  });

  test('is paid back by waiting longer when both took the last one at once', () => {
    let now = 0;
    const { one, two, deliver } = pair(() => now);
    one.take('ada', 1);
    two.take('ada', 1);
    deliver();
    expect([one.wait('ada', 1), two.wait('ada', 1)]).toEqual([120, 120]);
    now = 120_000;
    expect([one.wait('ada', 1), two.wait('ada', 1)]).toEqual([undefined, undefined]);
  });

  test('comes back at both when one gives it back', () => {
    const { one, two, deliver } = pair(() => 0);
    one.take('ada', 1);
    one.give('ada', 1);
    deliver();
    expect([one.left('ada', 1), two.left('ada', 1)]).toEqual([1, 1]);
  });
});
