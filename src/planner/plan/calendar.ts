import type { Capacity } from '../../schedule/amount.ts';
import type { Instant, Interval } from '../../schedule/interval.ts';
import { occupancy, type Step } from '../../schedule/occupancy.ts';
import type { Reserved } from '../../schedule/reserved.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import { closuresOf, takenBy, type Closure } from '../../site/maintenance.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import { reachOf } from './fit.ts';

/** What one destination has over a range of time: sums, no owners. */
export type DestinationCalendar = {
  readonly id: string;
  readonly capacity: Capacity;
  readonly steps: readonly Step[];
  readonly closures: readonly Closure[];
  /** the pool of results, which other destinations may share, and its use; undefined: no pool */
  readonly results: (ResultsUsed & { readonly size: number }) | undefined;
};

/** The most steps of one answer: a page draws no more, and more would delay asks. */
type CalendarBounds = { readonly perDestination: number; readonly inAll: number };

/**
 * The calendars of some destinations over a range that begins now or later and ends within the
 * horizon. Steps beyond the bounds are merged, closures beyond them are left out.
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
    // The same range as for asks: another one would evict theirs from the cache of `closuresOf`.
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

/** The most steps of one destination. */
function shareOf({ perDestination, inAll }: CalendarBounds, destinations: number): number {
  return Math.max(1, Math.min(perDestination, Math.floor(inAll / Math.max(1, destinations))));
}
