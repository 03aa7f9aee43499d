import { mebibytes, millicores } from '../words/units.ts';
import type { Amount, Capacity } from '../schedule/amount.ts';
import type { Interval } from '../schedule/interval.ts';
import type { Taken } from '../schedule/profile.ts';
import { occurrences, type Recurrence } from '../schedule/recurrence.ts';

/** When a destination, or a part of it, is not available. */
export type Maintenance = {
  readonly when: Recurrence;
  /** for clients whose ask is refused because of it */
  readonly reason: string;
  /** `all`, or this amount */
  readonly takes: 'all' | Amount;
};

/** One time at which a destination is not, or not wholly, available. */
export type Closure = {
  readonly during: Interval;
  readonly reason: string;
  readonly takes: 'all' | Amount;
};

/** The end of a closure that nobody has ended yet. */
export const OPEN_END = Date.UTC(9999, 11, 31);

const HOUR_MS = 3_600_000;

type Known = { readonly range: Interval; readonly closures: readonly Closure[] };
const known = new WeakMap<readonly Maintenance[], Known>();

/**
 * The closures that overlap a range. Recurrences are expanded at most once an hour, not for every
 * ask: the list is cached under the maintenance, which never changes.
 */
export function closuresOf(
  maintenance: readonly Maintenance[],
  range: Interval,
): readonly Closure[] {
  if (maintenance.length === 0) return [];
  const before = known.get(maintenance);
  if (before !== undefined && before.range.start <= range.start && range.end <= before.range.end)
    return before.closures;
  const wide = { start: range.start - HOUR_MS, end: range.end + HOUR_MS };
  const closures = expand(maintenance, wide);
  known.set(maintenance, { range: wide, closures });
  return closures;
}

/** The capacity that a closure takes, in the form of reservations. */
export function takenBy({ during, takes }: Closure, has: Capacity): readonly Taken[] {
  if (takes !== 'all') return [{ during, amount: takes }];
  const none = { cores: millicores(0), memory: mebibytes(0), scratch: mebibytes(0) };
  const rest = {
    cores: millicores(has.cores),
    memory: mebibytes(has.memory),
    scratch: mebibytes(has.scratch),
    gpus: undefined,
  };
  return [
    { during, amount: rest },
    ...[...has.gpus].map(([type, count]) => ({
      during,
      amount: { ...none, gpus: { type, count } },
    })),
  ];
}

function expand(maintenance: readonly Maintenance[], range: Interval): readonly Closure[] {
  return maintenance
    .flatMap(({ when, reason, takes }) =>
      occurrences(when, range).map((during) => ({ during, reason, takes })),
    )
    .sort((a, b) => a.during.start - b.during.start);
}
