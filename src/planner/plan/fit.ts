import { partOf, shortages, type Capacity, type ResourceKind } from '../../schedule/amount.ts';
import type { ResultsUsed } from '../../schedule/results.ts';
import { startOf, type Forecast, type Forecasts } from '../../schedule/forecasts.ts';
import type { Instant, Interval, StartRange } from '../../schedule/interval.ts';
import { longestFit } from '../../schedule/longest.ts';
import {
  earliestFit,
  freeOverTime,
  leastFree,
  mostFree,
  type Free,
  type Taken,
} from '../../schedule/profile.ts';
import { closuresOf, takenBy, type Closure } from '../../site/maintenance.ts';
import type { OfferTerms, SiteDestination } from '../../site/site.ts';
import type { Seconds } from '../../words/units.ts';
import type { Ask } from '../ask.ts';
import type { Suitable } from '../judge/candidate.ts';
import { amountOf, type Promised, type Proposal } from '../offer.ts';
import { saidOf, saidScratch } from '../judge/parts.ts';
import { placeOfAmount } from '../place.ts';
import { compared, textQuantity, type Refusal } from '../refusal.ts';
import { resultRefusals } from './result-space.ts';
import { grown } from '../judge/sizing.ts';
import {
  earliestStored,
  inStore,
  storingRefusals,
  type StoreBook,
  type Stored,
} from '../judge/storing.ts';
import { localWindow, type LocalWindow } from './slot.ts';
import type { OpenWindow } from './windows.ts';
import { printInstant } from '../../words/iso8601.ts';

/** One destination with what is free there and when the ask could run. */
export type DestinationAtTime = {
  readonly suitable: Suitable;
  readonly terms: OfferTerms;
  readonly now: Instant;
  readonly free: Free;
  readonly stores: StoreBook;
  readonly windows: readonly LocalWindow[];
  /** what the engine says of its own queue */
  readonly forecasts: readonly Forecast[];
  /**
   * what is used of the destination's pool of results; undefined where that is known to have room
   */
  readonly results: ResultsUsed | undefined;
};

type Known = {
  readonly now: Instant;
  readonly stores?: StoreBook;
  readonly forecasts?: Forecasts;
  readonly results?: ReadonlyMap<string, ResultsUsed>;
};

/** Until when an answer given now could reserve anything: how far the book has to be read. */
export function reachOf(
  { horizon, lifetime, startWindow, longest, release }: OfferTerms,
  leads: number,
): number {
  return horizon + lifetime + startWindow + longest + release + leads;
}

/** Looks at one destination with what the book says is taken there. */
export function destinationAt(
  suitable: Suitable,
  terms: OfferTerms,
  windows: readonly OpenWindow[],
  taken: readonly Taken[],
  { now, stores = new Map(), forecasts, results }: Known,
): DestinationAtTime {
  const { id, destination } = suitable;
  const closures = closuresOf(destination.maintenance, rangeOf(terms, destination, now));
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
    windows: windows.flatMap((window) => localWindow(window, destination, terms, now) ?? []),
  };
}

/** The first possible start with the smallest size. */
export function firstOf(place: DestinationAtTime): Proposal | undefined {
  return resultRefusals(place).length > 0
    ? undefined
    : place.windows
        .flatMap((window) => fit(place, window, place.suitable.sizes[0]) ?? [])
        .sort(earlier)[0];
}

/**
 * Larger ones: the next sizes, and the first with room to grow, as far as the ask,
 * the rules and the capacity allow.
 */
export function largerThan(place: DestinationAtTime, first: Proposal): readonly Proposal[] {
  const {
    sizes: [, ...more],
    growth,
  } = place.suitable;
  const window = place.windows.find(
    ({ starts, duration }) =>
      duration === first.duration &&
      starts.earliest <= first.startsAt &&
      first.startsAt <= starts.latest,
  );
  if (window === undefined) return [];
  const { begin, end } = window.occupation;
  const room = grown(
    first.promised,
    growth,
    leastFree(place.free, { start: begin(first.startsAt), end: end(first.startsAt) }),
  );
  return [
    ...(room === undefined || predicted(place, room, window.duration) > first.startsAt
      ? []
      : [propose(place, window, room, first.startsAt)]),
    ...more.flatMap((promised) => fit(place, window, promised) ?? []),
  ];
}

/**
 * The same later: in another window of the ask, else in the same one
 * after the first run would be over.
 */
export function laterThan(place: DestinationAtTime, first: Proposal): readonly Proposal[] {
  return place.windows
    .flatMap((window) => {
      const after = first.startsAt + (first.duration + first.release + first.prepare) * 1000;
      const starts = {
        earliest: Math.max(window.starts.earliest, after),
        latest: window.starts.latest,
      };
      return fit(place, window, place.suitable.sizes[0], starts) ?? [];
    })
    .sort(earlier)
    .slice(0, 1);
}

/**
 * Why nothing fits at a destination: every resource that is short, with
 * numbers, and when it would fit.
 */
export function refusalsOf(
  ask: Ask,
  place: DestinationAtTime,
  open: readonly OpenWindow[],
  taken: readonly Taken[],
): readonly Refusal[] {
  const full = resultRefusals(place);
  const inAll = [
    ...refuse(ask, place, 'above-capacity', place.suitable.destination.capacity, {}),
    ...full,
  ];
  const [wanted] = open;
  if (inAll.length > full.length || wanted === undefined) return inAll;
  return full.length > 0 && firstOf({ ...place, results: undefined }) !== undefined
    ? full
    : [...full, ...withoutStart(ask, place, wanted, taken)];
}

function rangeOf(terms: OfferTerms, { prepare, release }: SiteDestination, now: Instant): Interval {
  return { start: now, end: now + reachOf(terms, prepare + release) * 1000 };
}

function fit(
  place: DestinationAtTime,
  window: LocalWindow,
  promised: Promised,
  starts = window.starts,
): Proposal | undefined {
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

/**
 * The first start that suits the engine, the destination and the storage; each
 * may move it on for the others.
 */
function earliestOf(
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
    let earliest = Math.max(starts.earliest, predicted(place, promised, duration));
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

/** No start before this: the engine itself would start it no earlier. */
function predicted(
  { forecasts, now }: DestinationAtTime,
  promised: Promised,
  duration: Seconds,
): Instant {
  return startOf(forecasts, amountOf(promised), duration, now) ?? now;
}

function propose(
  { suitable: { id, destination }, terms }: DestinationAtTime,
  window: LocalWindow,
  promised: Promised,
  startsAt: Instant,
): Proposal {
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

function earlier(a: Proposal, b: Proposal): number {
  return a.startsAt - b.startsAt;
}

function refuse(
  ask: Ask,
  {
    suitable: {
      id,
      sizes: [least],
    },
  }: DestinationAtTime,
  code: Refusal['code'],
  has: Capacity,
  more: Partial<Refusal>,
): readonly Refusal[] {
  return shortages(amountOf(least), has).map(({ resource, asked }) => ({
    code,
    place: placeOfAmount(ask, resource),
    destination: id,
    ...compared(resource, asked, limitOf(resource, has, least.gpus?.type), saidIn(ask, resource)),
    ...more,
  }));
}

function limitOf(resource: ResourceKind, has: Capacity, gpuType: string | undefined): number {
  return resource === 'gpus' ? (has.gpus.get(gpuType ?? '') ?? 0) : has[resource];
}

/** What an ask says itself of what would be held for it. */
function saidIn(ask: Ask, resource: ResourceKind): number | undefined {
  switch (resource) {
    case 'cores':
    case 'memory':
      return saidOf(ask, resource);
    case 'gpus':
      return ask.gpus?.count;
    case 'scratch':
      return saidScratch(ask);
    default:
      return resource satisfies never;
  }
}

/** Why there is no start, with numbers, and when there would be one. */
function withoutStart(
  ask: Ask,
  place: DestinationAtTime,
  wanted: OpenWindow,
  taken: readonly Taken[],
): readonly Refusal[] {
  const {
    suitable: { id, destination },
    windows,
    free,
    now,
  } = place;
  const start = soonest(place, wanted);
  const when = start === undefined ? {} : { when: start };
  const [window] = windows;
  if (window === undefined) {
    const ready = printInstant(now + destination.prepare * 1000);
    return [
      {
        code: 'lead-time-too-short',
        place: { what: 'window', window: wanted.index },
        destination: id,
        asked: textQuantity(printInstant(wanted.starts.latest)),
        limit: textQuantity(ready),
        ...when,
      },
    ];
  }
  const begins = predicted(place, place.suitable.sizes[0], window.duration);
  if (begins > Math.max(...windows.map(({ starts }) => starts.latest))) {
    return [
      {
        code: 'engine-queue-too-long',
        place: { what: 'window', window: window.index },
        destination: id,
        asked: textQuantity(printInstant(window.starts.latest)),
        limit: textQuantity(printInstant(begins)),
        ...when,
      },
    ];
  }
  const inTime = { ...when, ...longestIn(place, window) };
  const closure = closureIn(place, taken);
  if (closure !== undefined) {
    const { reason, during } = closure;
    return [
      {
        code: 'maintenance',
        place: { what: 'window', window: window.index },
        destination: id,
        detail: `${reason === '' ? 'Maintenance' : reason}, until ${printInstant(during.end)}.`,
        ...inTime,
      },
    ];
  }
  const code = window.kind === 'now' ? 'no-capacity-now' : 'no-capacity-in-window';
  const { storing } = place.suitable;
  const short = [
    ...refuse(ask, place, code, mostFree(free, window.occupation, window.starts), inTime),
    ...storingRefusals(storing, place.stores, window, id),
  ];
  const together = 'Each resource is free for so long at some start, but not all of them together.';
  return short.length > 0
    ? short
    : [
        {
          code,
          place: { what: 'window', window: window.index },
          destination: id,
          detail: together,
          ...inTime,
        },
      ];
}

/** The first start from the requested one on at which the smallest size fits. */
function soonest(place: DestinationAtTime, window: OpenWindow): Instant | undefined {
  const {
    suitable: {
      destination,
      sizes: [least],
    },
    terms,
    now,
  } = place;
  const starts = { earliest: window.starts.earliest, latest: now + terms.horizon * 1000 };
  const anywhere = localWindow({ ...window, kind: 'window', starts }, destination, terms, now);
  return anywhere && earliestOf(place, least, anywhere, anywhere.starts)?.startsAt;
}

/**
 * How long the smallest size could run in a window, in whole seconds; nothing where that
 * is as long as it was asked for.
 */
function longestIn(
  {
    suitable: {
      sizes: [least],
    },
    free,
  }: DestinationAtTime,
  { occupation, starts, duration }: LocalWindow,
): Pick<Refusal, 'longest'> {
  const longest = Math.floor(
    longestFit(free, amountOf(least), occupation, starts, duration * 1000) / 1000,
  );
  return longest > 0 && longest < duration ? { longest } : {};
}

/** The first closure that stands in the way of a window that would be free without it. */
function closureIn(
  {
    suitable: {
      destination,
      sizes: [least],
    },
    terms,
    windows,
    now,
  }: DestinationAtTime,
  taken: readonly Taken[],
): Closure | undefined {
  const closures = closuresOf(destination.maintenance, rangeOf(terms, destination, now));
  const without = freeOverTime(destination.capacity, taken);
  return windows.flatMap(({ occupation: { begin, end }, starts, occupation }) => {
    const start = earliestFit(without, amountOf(least), occupation, starts);
    if (start === undefined) return [];
    return (
      closures.find(({ during }) => during.start < end(start) && begin(start) < during.end) ?? []
    );
  })[0];
}
