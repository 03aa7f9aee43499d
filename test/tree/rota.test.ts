import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { together } from '../../src/db/together.ts';
import { openLine } from '../../src/tree/line.ts';
import type { FromPlanner, ToPlanner } from '../../src/tree/messages.ts';
import { openRota } from '../../src/tree/rota.ts';

/** The turns of a service, and lines of its planners. */
function openService() {
  const hear = new Map<number, (message: ToPlanner) => void>();
  const turns = openRota<number>((planner) =>
    hear.get(planner)?.({ kind: 'turn', topic: 'answers' }),
  );
  const take = (planner: number) => {
    const line = openLine(planner, 2, {
      send: (message: FromPlanner) => {
        if (message.kind === 'wants turn') turns.want(planner);
        if (message.kind === 'turn over') turns.over(planner);
      },
      receive: (listener) => void hear.set(planner, listener),
    });
    return line.turns('answers');
  };
  return { turns, take };
}

/** Long enough for all that needs no timer. */
function aMoment(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

describe('the turns of several planners', () => {
  // So that a busy machine makes no planner late.
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
  afterEach(() => void jest.useRealTimers());

  test('go round in the order in which they were wanted', async () => {
    const { take } = openService();
    const planners = [1, 2, 3].map((planner) => ({ planner, takeTurn: take(planner) }));
    const order: string[] = [];
    await Promise.all(
      planners.map(async ({ planner, takeTurn }) => {
        const over = await takeTurn?.();
        order.push(`${planner} begins`);
        await aMoment();
        order.push(`${planner} ends`);
        over?.();
      }),
    );
    expect(order).toEqual([1, 2, 3].flatMap((one) => [`${one} begins`, `${one} ends`]));
  });

  test('pass over a planner that has ended', async () => {
    const { turns, take } = openService();
    const [first, second, third] = [take(1), take(2), take(3)];
    await first?.();
    let isGiven = false;
    void second?.().then(() => {
      isGiven = true;
    });
    const next = third?.();
    turns.gone(2);
    turns.gone(1);
    (await next)?.();
    await aMoment();
    expect(isGiven).toBe(false);
  });

  test('wait once for a planner that takes long', async () => {
    const { take } = openService();
    const [first, second] = [take(1), take(2)];
    await first?.();
    const late = second?.();
    await jest.advanceTimersByTimeAsync(1000);
    (await late)?.();
    // The first one still has not said that it is done.
    expect(await second?.()).toBeInstanceOf(Function);
  });

  test('let all be written together that comes while a planner waits for its turn', async () => {
    const { take } = openService();
    const [first, second] = [take(1), take(2)];
    const over = await first?.();
    const batches: (readonly number[])[] = [];
    const write = together<number, number>(
      async (items) => {
        batches.push(items);
        return items;
      },
      undefined,
      second,
    );
    const written = [write(1), write(2)];
    await aMoment();
    written.push(write(3));
    expect(batches).toEqual([]);
    over?.();
    expect(await Promise.all(written)).toEqual([1, 2, 3]);
    expect(batches).toEqual([[1, 2, 3]]);
  });
});
