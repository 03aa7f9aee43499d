import { partOf } from '../../schedule/amount.ts';
import { startOf, type Forecast, type Forecasts } from '../../schedule/forecasts.ts';
import type { Instant, StartRange } from '../../schedule/interval.ts';
import {
  earliestFit,
  freeOverTime,
  leastFree,
  type Free,
  type Taken,
} from '../../schedule/profile.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import { closuresOf, takenBy, type Closure } from '../../site/maintenance.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import { isNonEmpty } from '../../words/ids.ts';
import type { Seconds } from '../../words/units.ts';
import type { Suitable } from '../judge/candidate.ts';
import { grownWithin, isPaid, paidWindows, quotesOf } from '../judge/costs.ts';
import { earliestStored, inStore, type StoreBook, type Stored } from './stored.ts';
import { amountOf, type Promised, type Proposal } from '../offer.ts';
import { resultRefusals } from './result-space.ts';
import { localWindow, type LocalWindow, type OpenWindow } from './windows.ts';

/** One destination with what is free there and when the ask could run. */
export type DestinationAtTime = {
  readonly suitable: Suitable;
  readonly terms: OfferTerms;
  readonly now: Instant;
  readonly free: Free;
  readonly stores: StoreBook;
  readonly windows: readonly LocalWindow[];
  /** what the engine says of its queue */
  readonly forecasts: readonly Forecast[];
  /** what is used of the destination's pool of results; undefined: it is known to have room */
  readonly results: ResultsUsed | undefined;
};

/** The first offer of a destination; its smallest size is that of the offer. */
export type Fitting = { readonly place: DestinationAtTime; readonly first: Proposal };

type Known = {
  readonly now: Instant;
  readonly stores?: StoreBook;
  readonly forecasts?: Forecasts;
  readonly results?: ReadonlyMap<string, ResultsUsed>;
};

/** Seconds from now to the end of anything that an answer may reserve: how far the book is read. */
export function reachOf(
  { horizon, lifetime, startWindow, longest, release }: OfferTerms,
  leads: number,
): number {
  return horizon + lifetime + startWindow + longest + release + leads;
}

/** Combines a destination with what the book says is taken there. */
export function destinationAt(
  suitable: Suitable,
  terms: OfferTerms,
  windows: readonly OpenWindow[],
  taken: readonly Taken[],
  { now, stores = new Map(), forecasts, results }: Known,
): DestinationAtTime {
  const { id, destination } = suitable;
  const closures = closuresAhead(terms, destination, now);
  return {
    suitable,
    terms,
    now,
    stores,
    forecasts: forecasts?.get(id) ?? [],
    results: destination.results && results?.get(destination.results.name),
    free: freeOverTime(destination.capacity, [
      ...taken,
      ...closures.flatMap((closure) => takenBy(closure, destination.capacity)),
    ]),
    windows: paidWindows(suitable.paying, windows).flatMap(
      (window) => localWindow(window, destination, terms, now) ?? [],
    ),
  };
}

/**
 * The first possible start with the smallest size that has one. Of two flavours neither need be
 * smaller in everything, so where one has no room the next may.
 */
export function fittingAt(place: DestinationAtTime): Fitting | undefined {
  if (resultRefusals(place).length > 0) return undefined;
  const { suitable } = place;
  for (const [index, size] of suitable.sizes.entries()) {
    const [first] = place.windows
      .flatMap((window) => proposalAt(place, window, size) ?? [])
      .sort(byStart);
    if (first === undefined) continue;
    const sizes = suitable.sizes.slice(index);
    return {
      first,
      place: isNonEmpty(sizes) ? { ...place, suitable: { ...suitable, sizes } } : place,
    };
  }
  return undefined;
}

/**
 * Larger variants: the next sizes, and the first size grown as far as the ask, the rules and the
 * capacity allow.
 */
export function largerThan({ place, first }: Fitting): readonly Proposal[] {
  const {
    sizes: [, ...more],
    growth,
  } = place.suitable;
  const window = place.windows.find(
    ({ starts, duration, expiresAt }) =>
      duration === first.duration &&
      expiresAt === first.expiresAt &&
      starts.earliest <= first.startsAt &&
      first.startsAt <= starts.latest,
  );
  if (window === undefined) return [];
  const { begin, end } = window.occupation;
  const { paying, destination } = place.suitable;
  const room = grownWithin(
    paying,
    destination,
    { promised: first.promised, growth, run: window.duration },
    leastFree(place.free, { start: begin(first.startsAt), end: end(first.startsAt) }),
  );
  return [
    ...(room === undefined || engineStart(place, room, window.duration) > first.startsAt
      ? []
      : [propose(place, window, room, first.startsAt)]),
    ...more.flatMap((promised) => proposalAt(place, window, promised) ?? []),
  ];
}

/** The same size later: in another window, or in the same one after the first run. */
export function laterThan({ place, first }: Fitting): readonly Proposal[] {
  return place.windows
    .flatMap((window) => {
      const after = first.startsAt + (first.duration + first.release + first.prepare) * 1000;
      const starts = {
        earliest: Math.max(window.starts.earliest, after),
        latest: window.starts.latest,
      };
      return proposalAt(place, window, place.suitable.sizes[0], starts) ?? [];
    })
    .sort(byStart)
    .slice(0, 1);
}

/**
 * The closures of a destination in the time that the planner looks at: from now to the end of
 * anything that an answer reserves. Everybody who wants closures takes them from here: another range
 * would evict this one from the cache of `closuresOf`, which asks need.
 */
export function closuresAhead(
  terms: OfferTerms,
  { maintenance, prepare, release }: Ahead,
  now: Instant,
): readonly Closure[] {
  const end = now + reachOf(terms, prepare + release) * 1000;
  return closuresOf(maintenance, { start: now, end });
}

type Ahead = Pick<SiteDestination, 'maintenance' | 'prepare' | 'release'>;

/**
 * The first start that suits the engine, the destination and the storage. Where one of them moves
 * the start, the others are asked again.
 */
export function earliestOf(
  place: DestinationAtTime,
  promised: Promised,
  { occupation, duration }: LocalWindow,
  starts: StartRange,
): Stored | undefined {
  const {
    free,
    suitable: { storing },
    stores,
  } = place;
  for (
    let earliest = Math.max(starts.earliest, engineStart(place, promised, duration));
    earliest <= starts.latest;
  ) {
    const startsAt = earliestFit(free, amountOf(promised), occupation, { ...starts, earliest });
    if (startsAt === undefined) return undefined;
    const stored = earliestStored(storing, stores, occupation, { ...starts, earliest: startsAt });
    if (stored === undefined || stored.startsAt === startsAt) return stored;
    earliest = stored.startsAt;
  }
  return undefined;
}

/** When the engine's own queue lets the job start. */
export function engineStart(
  { forecasts, now }: DestinationAtTime,
  promised: Promised,
  duration: Seconds,
): Instant {
  return startOf(forecasts, amountOf(promised), duration, now) ?? now;
}

function proposalAt(
  place: DestinationAtTime,
  window: LocalWindow,
  promised: Promised,
  starts = window.starts,
): Proposal | undefined {
  const { paying, destination } = place.suitable;
  if (paying !== undefined && !isPaid(paying, destination, promised, window.duration))
    return undefined;
  const found = earliestOf(place, promised, window, starts);
  if (found === undefined) return undefined;
  const { startsAt, store } = found;
  return propose(
    place,
    window,
    store === undefined ? promised : { ...promised, storage: inStore(promised.storage, store) },
    startsAt,
  );
}

function propose(
  { suitable: { id, destination }, terms }: DestinationAtTime,
  window: LocalWindow,
  unquoted: Promised,
  startsAt: Instant,
): Proposal {
  const promised = quoted(destination, window, unquoted);
  return {
    work: partOf(amountOf(promised), destination.capacity) * window.duration,
    destination: id,
    runner: destination.engine.runner,
    promised,
    amount: amountOf(promised),
    startsAt,
    expiresAt: window.expiresAt,
    duration: window.duration,
    prepare: destination.prepare,
    startWindow: terms.startWindow,
    release: destination.release,
    resultPool: destination.results?.name,
  };
}

function quoted(
  { costs }: SiteDestination,
  { least, duration }: LocalWindow,
  promised: Promised,
): Promised {
  return costs.length === 0
    ? promised
    : { ...promised, costs: quotesOf(costs, promised, { least, most: duration }) };
}

function byStart(a: Proposal, b: Proposal): number {
  return a.startsAt - b.startsAt;
}
