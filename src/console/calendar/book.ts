import type { Documents } from '../contract.ts';
import type { Instant } from '../time.ts';

/** Amounts of a destination: counts of cores and GPUs, and GiB. */
export type Amounts = Documents['CalendarAmounts'];

/** What a row of the calendar can show. */
export type Resource = 'cores' | 'memory' | 'scratch' | 'gpus';

/** All of them, in the order of the choice. */
export const RESOURCES: readonly Resource[] = ['cores', 'memory', 'scratch', 'gpus'];

/** A part of the time in which nothing changes, or of which the service tells the worst. */
export type Step = {
  readonly start: Instant;
  readonly end: Instant;
  readonly free: Amounts;
  readonly held: Amounts;
  readonly firm: Amounts;
};

/** A time without the destination or without `takes` of it. */
export type Away = {
  readonly start: Instant;
  readonly end: Instant;
  readonly reason: string;
  readonly takes: Amounts;
};

/** A reservation of the reader's own. */
export type Own = {
  readonly ask: string;
  /** undefined: held by an open offer */
  readonly job: string | undefined;
  readonly start: Instant;
  readonly end: Instant;
  readonly amount: Amounts;
};

/** One destination over the time of its book. */
export type Row = {
  readonly destination: string;
  readonly capacity: Amounts;
  /** without gaps, at least one */
  readonly steps: readonly Step[];
  readonly away: readonly Away[];
  readonly own: readonly Own[];
};

/** The calendar of all destinations from one instant to another. */
export type Book = {
  readonly from: Instant;
  readonly to: Instant;
  /** when it was read, or `from` if that is later */
  readonly now: Instant;
  readonly rows: readonly Row[];
};

/**
 * The calendar as the page uses it: instants are numbers, and maintenance has amounts.
 *
 * @param now by the service's clock
 */
export function bookOf({ from, to, destinations }: Documents['Calendar'], now: Instant): Book {
  return {
    from: Date.parse(from),
    to: Date.parse(to),
    now: Math.max(Date.parse(from), now),
    rows: destinations.map(({ destination, capacity, steps, maintenance, mine = [] }) => ({
      destination,
      capacity,
      steps: steps.map((step) => ({ ...step, ...timesOf(step) })),
      away: maintenance.map((each) => ({
        ...timesOf(each),
        reason: each.reason,
        takes: typeof each.takes === 'string' ? capacity : each.takes,
      })),
      own: mine.map((each) => ({
        ...timesOf(each),
        ask: each.ask,
        job: each.job,
        amount: each.amount,
      })),
    })),
  };
}

/** The amount of a resource; GPUs of all types count together. */
export function amountOf(amounts: Amounts, resource: Resource): number {
  return resource === 'gpus'
    ? (amounts.gpus ?? []).reduce((sum, { count }) => sum + count, 0)
    : amounts[resource];
}

function timesOf({ start, end }: { readonly start: string; readonly end: string }) {
  return { start: Date.parse(start), end: Date.parse(end) };
}
