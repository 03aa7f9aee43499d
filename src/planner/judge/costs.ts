import type { Capacity } from '../../schedule/amount.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import type { Tariff } from '../../site/read/costs.ts';
import type { Site } from '../../site/site.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import { seconds, toCores, toGibibytes, type Seconds } from '../../words/units.ts';
import type { Ask, CostCap } from '../ask.ts';
import type { Promised, Quote } from '../offer.ts';
import { durationFor } from '../plan/windows.ts';
import { numberQuantity, textQuantity } from '../refusal.ts';
import type { Objection } from './objection.ts';
import { grownPromise, type Growth } from './sizing.ts';

/** What the client pays at most, and what that buys at a destination. */
export type Paying = {
  readonly caps: readonly CostCap[];
  /** for each window of the ask the run of the smallest size; undefined: it costs too much */
  readonly runs: readonly (Seconds | undefined)[];
};

/** Digits of a cost: beyond them are rounding errors, and 3 × 0.1 is 0.3. */
const DIGITS = 12;
const HOUR_S = 3600;
/** A shorter run than this is no advice. */
const SHORTEST_S = 60;

/**
 * What a promise costs. The site counts the amounts of the offer for the time of the run: cores,
 * memory, GPUs and scratch space by the hour, storage that outlives the run until the end of its
 * lifetime, and a sum for every job. `min` is the run of `least` seconds with the smallest amounts,
 * `max` the whole run with the largest ones.
 */
export function quotesOf(
  costs: readonly Tariff[],
  promised: Promised,
  { least, most }: { readonly least: number; readonly most: number },
): readonly Quote[] {
  return costs.map((tariff): Quote => ({
    type: tariff.type,
    ...(tariff.description === undefined ? {} : { description: tariff.description }),
    min: costOf(tariff, promised, 'min', least),
    max: costOf(tariff, promised, 'max', most),
  }));
}

/** The limits of costs that are in a unit which the destination does not have. */
export function unknownCosts(
  { costs }: Ask,
  site: Pick<Site, 'destinations'>,
  destination: SiteDestination,
): readonly Objection[] {
  return costs.flatMap(({ type, max }, cost): readonly Objection[] =>
    max === undefined || tariffOf(destination, type) !== undefined
      ? []
      : [
          {
            code: 'cost-unknown',
            place: { what: 'cost', cost },
            asked: textQuantity(type),
            limit: textQuantity(typesOf(site)),
          },
        ],
  );
}

/**
 * The first size that the client pays for, with those after it, and how long it may run. Of two
 * flavours the one with more cores may cost less.
 *
 * @returns objections if no window is long enough
 */
export function paidSizes(
  ask: Ask,
  offers: OfferTerms,
  destination: SiteDestination,
  sizes: NonEmpty<Promised>,
): { readonly sizes: NonEmpty<Promised>; readonly paying?: Paying } | readonly Objection[] {
  if (ask.costs.every(({ max }) => max === undefined)) return { sizes };
  for (const [index, size] of sizes.entries()) {
    const runs = ask.windows.map(({ duration }) =>
      longestRun(ask.costs, destination, size, {
        least: duration.min ?? durationFor(duration, offers),
        most: durationFor(duration, offers),
      }),
    );
    const rest = sizes.slice(index);
    if (runs.some((run) => run !== undefined) && isNonEmpty(rest))
      return { sizes: rest, paying: { caps: ask.costs, runs } };
  }
  return tooDear(ask, offers, destination, sizes[0], 0);
}

/** Every limit that the smallest offer in a window of the ask exceeds, and the run that does not. */
export function tooDear(
  { costs, windows }: Ask,
  offers: OfferTerms,
  destination: SiteDestination,
  smallest: Promised,
  window: number,
): readonly Objection[] {
  const duration = windows[window]?.duration ?? windows[0].duration;
  const least = duration.min ?? durationFor(duration, offers);
  const longest = longestRun(costs, destination, smallest, { least: SHORTEST_S, most: least });
  return costs.flatMap(({ type, max }, cost): readonly Objection[] => {
    const tariff = tariffOf(destination, type);
    const price = tariff && costOf(tariff, smallest, 'max', least);
    return price === undefined || max === undefined || price <= max
      ? []
      : [
          {
            code: 'cost-above-limit',
            place: { what: 'cost', cost },
            asked: numberQuantity(max),
            limit: numberQuantity(price),
            detail: `In ${type}.`,
            ...(longest === undefined ? {} : { longest }),
          },
        ];
  });
}

/** The windows that the client pays for, with their runs. */
export function paidWindows<Window extends { readonly index: number; readonly duration: Seconds }>(
  paying: Paying | undefined,
  windows: readonly Window[],
): readonly Window[] {
  if (paying === undefined) return windows;
  return windows.flatMap((window) => {
    const duration = paying.runs[window.index];
    return duration === undefined ? [] : [{ ...window, duration }];
  });
}

/** Does a promise keep to what the client pays? */
export function isPaid(
  { caps }: Pick<Paying, 'caps'>,
  destination: SiteDestination,
  promised: Promised,
  run: Seconds,
): boolean {
  return caps.every(({ type, max = Infinity }) => {
    const tariff = tariffOf(destination, type);
    return tariff === undefined || costOf(tariff, promised, 'max', run) <= max;
  });
}

/** {@link grownPromise} as far as the client pays for it. */
export function grownWithin(
  paying: Paying | undefined,
  destination: SiteDestination,
  { promised, growth, run }: { promised: Promised; growth: Growth; run: Seconds },
  free: Capacity,
): Promised | undefined {
  const whole = grownPromise(promised, growth, free);
  if (whole === undefined || paying === undefined || isPaid(paying, destination, whole, run))
    return whole;
  // Costs are linear in the amounts, so this part of the growth costs what is left.
  const part = Math.min(
    ...paying.caps.map(({ type, max = Infinity }) => {
      const tariff = tariffOf(destination, type);
      if (tariff === undefined) return 1;
      const [from, to] = [promised, whole].map((one) => costOf(tariff, one, 'max', run));
      return from === undefined || to === undefined || to <= from ? 1 : (max - from) / (to - from);
    }),
  );
  const grown = grownPromise(
    promised,
    {
      ...growth,
      cores: between(promised.cores.min, whole.cores.max, part),
      memory: between(promised.memory.min, whole.memory.max, part),
    },
    free,
  );
  return grown !== undefined && isPaid(paying, destination, grown, run) ? grown : undefined;
}

function between(from: number, to: number, part: number): number {
  return Math.floor(from + (to - from) * part);
}

/** In seconds, from `least` to `most`; undefined: even the shortest costs too much. */
function longestRun(
  caps: readonly CostCap[],
  destination: SiteDestination,
  promised: Promised,
  { least, most }: { readonly least: number; readonly most: number },
): Seconds | undefined {
  const isWithin = (run: number): boolean => isPaid({ caps }, destination, promised, seconds(run));
  if (isWithin(most)) return seconds(most);
  const longest = Math.floor(
    Math.min(
      ...caps.map(({ type, max = Infinity }) => {
        const tariff = tariffOf(destination, type);
        if (tariff === undefined) return Infinity;
        const once = costOf(tariff, promised, 'max', 0);
        const hour = costOf(tariff, promised, 'max', HOUR_S) - once;
        return hour > 0 ? ((max - once) / hour) * HOUR_S : once <= max ? Infinity : -1;
      }),
    ),
  );
  const run = [longest, longest - 1].find((one) => one >= least && isWithin(one));
  return run === undefined ? undefined : seconds(run);
}

function costOf(
  { core, memory, gpu, storage, job }: Tariff,
  promised: Promised,
  bound: 'min' | 'max',
  run: number,
): number {
  const hourly =
    core * toCores(promised.cores[bound]) +
    memory * toGibibytes(promised.memory[bound]) +
    gpu * (promised.gpus?.count ?? 0) +
    storage * toGibibytes(promised.scratch);
  const kept = promised.storage.reduce(
    (sum, item) =>
      item.kind === 'managed' ? sum + toGibibytes(item.size) * (item.lifetime ?? 0) : sum,
    0,
  );
  return Number((job + (hourly * run + storage * kept) / HOUR_S).toPrecision(DIGITS));
}

function tariffOf({ costs }: SiteDestination, type: string): Tariff | undefined {
  return costs.find((one) => one.type === type);
}

/** Cached: each of a thousand destinations would look at all of them. */
const typesOfSite = new WeakMap<Site['destinations'], string>();

function typesOf({ destinations }: Pick<Site, 'destinations'>): string {
  const known =
    typesOfSite.get(destinations) ??
    [
      ...new Set([...destinations.values()].flatMap(({ costs }) => costs.map(({ type }) => type))),
    ].join(', ');
  typesOfSite.set(destinations, known);
  return known === '' ? 'none' : known;
}
