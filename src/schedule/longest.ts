import type { Amount } from './amount.ts';
import type { StartRange } from './interval.ts';
import { fitsAt, type Free, type Occupation } from './profile.ts';

/**
 * The longest run for which the whole amount is free from some start in the range on, in
 * milliseconds; 0 if there is no such start, Infinity if there is no end.
 *
 * @param occupation of a run of `length` milliseconds; that of another run ends as much later or
 * sooner
 */
export function longestFit(
  free: Free,
  amount: Amount,
  { begin, end }: Occupation,
  { earliest, latest }: StartRange,
  length: number,
): number {
  const lead = earliest - begin(earliest);
  let longest = 0;
  for (let step = 0; step < free.at.length; step += 1) {
    if (!fitsAt(free, step, amount)) continue;
    const from = step;
    while (step + 1 < free.at.length && fitsAt(free, step + 1, amount)) step += 1;
    // Within one free stretch an earlier start leaves more time.
    const start = Math.max(earliest, (free.at[from] ?? Infinity) + lead);
    const until = free.at[step + 1] ?? Infinity;
    if (start <= latest) longest = Math.max(longest, until - (end(start) - length));
  }
  return longest;
}
