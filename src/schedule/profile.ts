import type { Amount, Capacity } from './amount.ts';
import { contains, overlaps, type Instant, type Interval } from './interval.ts';

/** Capacity taken of one destination over an interval: a hold or a firm reservation. */
export type Taken = { readonly during: Interval; readonly amount: Amount };

const used = (taken: readonly Taken[], at: Instant): Capacity => {
  const gpus = new Map<string, number>();
  let [cores, memory, scratch] = [0, 0, 0];
  for (const { during, amount } of taken) {
    if (!contains(during, at)) continue;
    cores += amount.cores;
    memory += amount.memory;
    scratch += amount.scratch;
    if (amount.gpus !== undefined) gpus.set(amount.gpus.type, (gpus.get(amount.gpus.type) ?? 0) + amount.gpus.count);
  }
  return { cores, memory, scratch, gpus };
};

/**
 * What stays free of a destination through the whole window, resource by resource. Exact, not merely safe: use can rise
 * only at the window's start or at the start of a reservation in it, so looking at those moments finds every peak.
 * Negative where a site file was made smaller than what is already reserved.
 */
export const freeDuring = (has: Capacity, taken: readonly Taken[], window: Interval): Capacity => {
  const within = taken.filter(({ during }) => overlaps(during, window));
  const moments = [window.start, ...within.map(({ during }) => during.start).filter((at) => at > window.start)];
  const peaks = moments.map((at) => used(within, at));
  const most = (of: (use: Capacity) => number): number => peaks.reduce((max, use) => Math.max(max, of(use)), 0);
  return {
    cores: has.cores - most((use) => use.cores),
    memory: has.memory - most((use) => use.memory),
    scratch: has.scratch - most((use) => use.scratch),
    gpus: new Map([...has.gpus].map(([type, count]) => [type, count - most((use) => use.gpus.get(type) ?? 0)])),
  };
};
