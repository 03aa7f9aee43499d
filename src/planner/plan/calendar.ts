import type { Capacity } from '../../schedule/amount.ts';
import type { Instant, Interval } from '../../schedule/interval.ts';
import { occupancy, type Step } from '../../schedule/occupancy.ts';
import type { Reserved } from '../../schedule/reserved.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import { closuresOf, takenBy, type Closure } from '../../site/maintenance.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import { reachOf } from './fit.ts';

/** What one destination has over a range of time, in sums: nothing tells whose a reservation is. */
export type DestinationCalendar = {
  readonly id: string;
  readonly capacity: Capacity;
  readonly steps: readonly Step[];
  readonly closures: readonly Closure[];
  /**
   * room for what its jobs leave, which others may share, and what is used of it now;
   * undefined: it is counted nowhere
   */
  readonly results: (ResultsUsed & { readonly size: number }) | undefined;
};

/** Bounds of one answer: a page draws no more, and more would keep the planner from its asks. */
export type CalendarBounds = { readonly perDestination: number; readonly inAll: number };

/**
 * The calendars of some destinations over a range that begins now or
 * later and ends within the horizon.
 *
 * @param bounds where a destination would have more steps than its share, they are merged; of
 * its closures the first are told
 */
export function calendarsOf(
  destinations: readonly SiteDestination[],
  terms: OfferTerms,
  reserved: ReadonlyMap<string, readonly Reserved[]>,
  {
    now,
    range,
    bounds,
    used,
  }: {
    readonly now: Instant;
    readonly range: Interval;
    readonly bounds: CalendarBounds;
    readonly used: ReadonlyMap<string, ResultsUsed>;
  },
): readonly DestinationCalendar[] {
  const most = shareOf(bounds, destinations.length);
  return destinations.map(({ id, capacity, maintenance, prepare, release, results }) => {
    // The range in which asks look for closures: a shorter one would push theirs out
    // of the memory of `closuresOf`.
    const ahead = { start: now, end: now + reachOf(terms, prepare + release) * 1000 };
    const closures = closuresOf(maintenance, ahead).filter(
      ({ during }) => during.start < range.end && range.start < during.end,
    );
    const taken = closures.flatMap((closure) => takenBy(closure, capacity));
    return {
      id,
      capacity,
      steps: occupancy(capacity, reserved.get(id) ?? [], taken, range, most),
      closures: closures.slice(0, most),
      results: results && {
        size: results.size,
        ...(used.get(results.name) ?? { held: 0, kept: 0 }),
      },
    };
  });
}

/** The most steps of one destination when so many are asked for. */
function shareOf({ perDestination, inAll }: CalendarBounds, destinations: number): number {
  return Math.max(1, Math.min(perDestination, Math.floor(inAll / Math.max(1, destinations))));
}
