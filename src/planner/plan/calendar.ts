import type { Capacity } from '../../schedule/amount.ts';
import type { Instant, Interval } from '../../schedule/interval.ts';
import { occupancy, type Step } from '../../schedule/occupancy.ts';
import type { OwnReservation, Reserved } from '../../schedule/reserved.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import { takenBy, type Closure } from '../../site/maintenance.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import { closuresAhead } from './fit.ts';

/** What one destination has over a range of time: sums, no owners. */
export type DestinationCalendar = {
  readonly id: string;
  readonly capacity: Capacity;
  readonly steps: readonly Step[];
  readonly closures: readonly Closure[];
  /** the pool of results, which other destinations may share, and its use; undefined: no pool */
  readonly results: (ResultsUsed & { readonly size: number }) | undefined;
  /** the reader's own reservations; undefined: not asked for */
  readonly mine: readonly OwnReservation[] | undefined;
};

/** The most steps of one answer: a page draws no more, and more would delay asks. */
type CalendarBounds = { readonly perDestination: number; readonly inAll: number };

/** The most steps of one destination. */
export function stepsEach({ perDestination, inAll }: CalendarBounds, destinations: number): number {
  return Math.max(1, Math.min(perDestination, Math.floor(inAll / Math.max(1, destinations))));
}

/**
 * The calendar of a destination over a range that begins now or later and ends within the horizon.
 *
 * @param most steps beyond it are merged, closures beyond it are left out
 * @param mine of the reader; undefined: not asked for
 */
export function calendarOf(
  destination: SiteDestination,
  terms: OfferTerms,
  reserved: readonly Reserved[],
  {
    now,
    range,
    most,
    used,
    mine,
  }: {
    readonly now: Instant;
    readonly range: Interval;
    readonly most: number;
    readonly used: ReadonlyMap<string, ResultsUsed>;
    readonly mine: readonly OwnReservation[] | undefined;
  },
): DestinationCalendar {
  const { id, capacity, results } = destination;
  const closures = closuresAhead(terms, destination, now).filter(
    ({ during }) => during.start < range.end && range.start < during.end,
  );
  const taken = closures.flatMap((closure) => takenBy(closure, capacity));
  return {
    id,
    capacity,
    steps: occupancy(capacity, reserved, taken, range, most),
    closures: closures.slice(0, most),
    results: results && { size: results.size, ...(used.get(results.name) ?? { held: 0, kept: 0 }) },
    mine: mine?.filter((one) => one.destination === id),
  };
}
