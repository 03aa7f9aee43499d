import type { Capacity } from '../../src/schedule/amount.ts';
import type { Interval } from '../../src/schedule/interval.ts';
import {
  freeOverTime,
  leastFree,
  type Occupation,
  type Taken,
} from '../../src/schedule/profile.ts';

/** The amount of each resource that is free during the whole interval. */
export function freeDuring(has: Capacity, taken: readonly Taken[], during: Interval): Capacity {
  return leastFree(freeOverTime(has, taken), during);
}

/** Takes capacity from the start on, for `length` milliseconds. */
export function lasting(length: number): Occupation {
  return { begin: (start) => start, end: (start) => start + length };
}
