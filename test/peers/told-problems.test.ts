import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { toldProblems } from '../../src/peers/told-problems.ts';
import { openLine } from '../../src/tree/line.ts';
import type { ToPlanner } from '../../src/tree/messages.ts';

describe('the problems of a planner', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('are also those that others alone have, until these no longer tell them', () => {
    const hearing = new Map<number, (message: ToPlanner) => void>();
    const problemsOf = (number: number, own: () => readonly string[]) => {
      const line = openLine(number, 2, {
        send: (message) => {
          if (message.kind === 'told')
            for (const [other, hear] of hearing) if (other !== number) hear(message);
        },
        receive: (hear) => void hearing.set(number, hear),
      });
      return toldProblems(line, 'site', own, Date.now);
    };
    const faults = ['the plug-in is broken', 'the site file has a fault'];
    let now: readonly string[] = faults;
    const [first, second] = [problemsOf(1, () => faults.slice(1)), problemsOf(2, () => now)];
    expect(first()).toEqual(faults.slice(1));
    jest.advanceTimersByTime(2100);
    expect(first()).toEqual([...faults.slice(1), 'planner 2: the plug-in is broken']);
    expect(second()).toEqual(faults);
    now = [];
    jest.advanceTimersByTime(300);
    expect(first()).toEqual(faults.slice(1));
    jest.advanceTimersByTime(10_000);
    expect(first()).toEqual(faults.slice(1));
    expect(second()).toEqual(['planner 1: the site file has a fault']);
  });
});
