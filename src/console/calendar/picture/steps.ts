import type { Instant } from '../../time.ts';
import { amountOf, type Resource, type Row, type Step } from '../book.ts';

/** The least free amount, and the first time that has it. */
export type Least = { readonly free: number; readonly start: Instant; readonly end: Instant };

/**
 * The step at an instant, found by halving; before the first step it is the first, after the last
 * one the last.
 *
 * @throws RangeError without any step
 */
export function stepAt(steps: readonly Step[], instant: Instant): Step {
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle]?.start ?? 0) <= instant) low = middle;
    else high = middle - 1;
  }
  const found = steps[low];
  if (found === undefined) throw new RangeError('a row without steps');
  return found;
}

/** When a resource is scarcest: steps that follow each other with the same amount are one time. */
export function leastOf({ steps }: Row, resource: Resource): Least {
  let least: Least = { free: Infinity, start: 0, end: 0 };
  for (const { start, end, free } of steps) {
    const amount = amountOf(free, resource);
    if (amount < least.free) least = { free: amount, start, end };
    else if (amount === least.free && least.end === start) least = { ...least, end };
  }
  return least;
}
