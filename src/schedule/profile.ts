import type { Amount, Capacity } from './amount.ts';
import type { Instant, Interval, StartRange } from './interval.ts';

/**
 * Capacity of a destination that is taken over an interval: a hold, a firm reservation, or
 * maintenance.
 */
export type Taken = { readonly during: Interval; readonly amount: Amount };

/**
 * The free capacity of a destination as a step function of time: step `i` holds from `at[i]` until
 * `at[i + 1]`; the first begins at -Infinity, the last has no end. Columns, not rows, because a fit
 * reads thousands of steps. Negative if a site file shrinks below existing reservations.
 */
export type Free = {
  readonly at: Float64Array;
  readonly cores: Float64Array;
  readonly memory: Float64Array;
  readonly scratch: Float64Array;
  readonly gpus: ReadonlyMap<string, Float64Array>;
};

/** One resource: its total, and how much of it an amount takes. */
type Part = { readonly total: number; readonly of: (amount: Amount) => number };

/** @param taken in any order; they may overlap, their sum counts */
export function freeOverTime(has: Capacity, taken: readonly Taken[]): Free {
  const moments = new Float64Array(2 * taken.length + 1);
  moments[0] = -Infinity;
  taken.forEach(({ during }, index) => moments.set([during.start, during.end], 2 * index + 1));
  moments.sort();
  const at = moments.filter((moment, index) => index === 0 || moment !== moments[index - 1]);
  const steps = new Map<Instant, number>();
  at.forEach((moment, index) => steps.set(moment, index));
  const make = (part: Part): Float64Array => column(part, at, steps, taken);
  return {
    at,
    cores: make({ total: has.cores, of: ({ cores }) => cores }),
    memory: make({ total: has.memory, of: ({ memory }) => memory }),
    scratch: make({ total: has.scratch, of: ({ scratch }) => scratch }),
    gpus: new Map(
      [...has.gpus].map(([type, total]) => [
        type,
        make({ total, of: ({ gpus }) => (gpus?.type === type ? gpus.count : 0) }),
      ]),
    ),
  };
}

/** Is the whole amount free in a step? */
export function fitsAt(
  free: Free,
  step: number,
  { cores, memory, scratch, gpus }: Amount,
): boolean {
  return (
    cores <= (free.cores[step] ?? 0) &&
    memory <= (free.memory[step] ?? 0) &&
    scratch <= (free.scratch[step] ?? 0) &&
    (gpus === undefined || gpus.count <= (free.gpus.get(gpus.type)?.[step] ?? 0))
  );
}

/**
 * When a run begins and ends to take capacity, depending on its start. A later start makes neither
 * earlier.
 */
export type Occupation = {
  readonly begin: (start: Instant) => Instant;
  readonly end: (start: Instant) => Instant;
};

/**
 * The first start in the range for which the whole amount is free during the whole occupation;
 * exact. It walks over the steps once: if a step has too little, the occupation cannot begin before
 * its end.
 */
export function earliestFit(
  free: Free,
  amount: Amount,
  { begin, end }: Occupation,
  { earliest, latest }: StartRange,
): Instant | undefined {
  const lead = earliest - begin(earliest);
  let start = earliest;
  for (let step = stepAt(free, begin(earliest)); start <= latest; step += 1) {
    const until = endOf(free, step);
    if (!fitsAt(free, step, amount)) start = Math.max(start, until + lead);
    else if (until >= end(start)) return start;
  }
  return undefined;
}

/** The least free amount of each resource at any instant of the interval. */
export function leastFree(free: Free, during: Interval): Capacity {
  const first = stepAt(free, during.start);
  let last = first;
  while (endOf(free, last) < during.end) last += 1;
  // A loop: a view of the array for each resource took 2.6 % of an ask.
  const least = (of: Float64Array): number => {
    let low = Infinity;
    for (let step = first; step <= last; step += 1) low = Math.min(low, of[step] ?? low);
    return low;
  };
  return {
    cores: least(free.cores),
    memory: least(free.memory),
    scratch: least(free.scratch),
    gpus: new Map([...free.gpus].map(([type, values]) => [type, least(values)])),
  };
}

/**
 * The largest amount of each resource that is free during the occupation from any one start in the
 * range: the limit in a refusal. It is computed for each resource alone, so an amount within all
 * limits may still fit nowhere.
 */
export function mostFree(
  free: Free,
  { begin, end }: Occupation,
  { earliest, latest }: StartRange,
): Capacity {
  const lead = earliest - begin(earliest);
  const during = (start: Instant): Capacity =>
    leastFree(free, { start: begin(start), end: end(start) });
  // Between two steps an earlier start is never worse, so only the first instant and the beginnings
  // of steps matter.
  const starts = [...free.at]
    .map((at) => at + lead)
    .filter((start) => start > earliest && start <= latest);
  return starts.map(during).reduce(larger, during(earliest));
}

function column(
  { total, of }: Part,
  at: Float64Array,
  steps: ReadonlyMap<Instant, number>,
  taken: readonly Taken[],
): Float64Array {
  const free = new Float64Array(at.length);
  for (const { during, amount } of taken) {
    const taking = of(amount);
    if (taking === 0) continue;
    change(free, steps.get(during.start), -taking);
    change(free, steps.get(during.end), taking);
  }
  let left = total;
  for (let step = 0; step < free.length; step += 1) {
    left += free[step] ?? 0;
    free[step] = left;
  }
  return free;
}

function change(column: Float64Array, step = 0, by = 0): void {
  void (column[step] = (column[step] ?? 0) + by);
}

/** The step at an instant. */
function stepAt({ at }: Free, instant: Instant): number {
  let [low, high] = [0, at.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((at[middle] ?? Infinity) <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}

function endOf({ at }: Free, step: number): Instant {
  return at[step + 1] ?? Infinity;
}

function larger(a: Capacity, b: Capacity): Capacity {
  return {
    cores: Math.max(a.cores, b.cores),
    memory: Math.max(a.memory, b.memory),
    scratch: Math.max(a.scratch, b.scratch),
    gpus: new Map(
      [...a.gpus].map(([type, count]) => [type, Math.max(count, b.gpus.get(type) ?? 0)]),
    ),
  };
}
