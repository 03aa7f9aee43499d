import type { Instant, StartRange } from '../../schedule/interval.ts';
import { seconds } from '../../words/units.ts';
import type { AskPlace } from '../place.ts';
import { durationFor } from '../plan/windows.ts';
import { numberIn, type Refusal } from '../refusal.ts';
import type { Circumstance, Remedies } from './change.ts';
import { toLower } from './remedy-amounts.ts';

const SHORTEST_S = 60;
const HOUR_S = 3600;
/** Quotas of GPU hours are told to less than a second. */
const TOLD_S = 1;

/** A later start, or a run that is short enough for the requested one. */
export function laterOrShorter(circumstance: Circumstance, refusal: Refusal): Remedies {
  return [...laterStart(circumstance, refusal), ...shorterRun(untilAsked(circumstance, refusal))];
}

/** A later start: `when` is the first time at which all resources fit. */
export function laterStart(circumstance: Circumstance, { place, when }: Refusal): Remedies {
  if (when === undefined) return [];
  const of = windowOf(place);
  return [[{ what: 'start', of, to: startFrom(circumstance, of, when) }]];
}

/**
 * Fewer GPUs, or a shorter run. GPU hours include the time that is reserved before and after the
 * run.
 */
export function fewerGpuHours(
  { ask, site }: Circumstance,
  { place, asked, left }: Refusal,
): Remedies {
  const [hours, rest, count] = [numberIn(asked), numberIn(left), ask.gpus?.count];
  if (hours === undefined || rest === undefined || count === undefined) return [];
  const fewer = toLower(ask, site, 'gpus', {
    place,
    asked: count,
    limit: Math.floor((rest * count) / hours),
  });
  const each = ask.windows.flatMap(({ duration }, of): Remedies => {
    const now = durationFor(duration, site.offers);
    const beside = (hours * HOUR_S) / count - now;
    const to = Math.floor((rest * HOUR_S - TOLD_S) / count - beside);
    return to < SHORTEST_S || to >= now ? [] : [[{ what: 'duration', of, to: seconds(to) }]];
  });
  return [...fewer, ...each];
}

/** A shorter run: work is capacity × time. */
export function lessWork({ ask, site }: Circumstance, { asked, left }: Refusal): Remedies {
  const [hours, rest] = [numberIn(asked), numberIn(left)];
  if (hours === undefined || rest === undefined || hours === 0) return [];
  return ask.windows.flatMap(({ duration }, of): Remedies => {
    const to = Math.floor((durationFor(duration, site.offers) * rest) / hours);
    return to < SHORTEST_S ? [] : [[{ what: 'duration', of, to: seconds(to) }]];
  });
}

/** A start before the horizon. */
export function sooner(circumstance: Circumstance, { place }: Refusal): Remedies {
  const {
    site: { offers },
    now,
  } = circumstance;
  const of = windowOf(place);
  const { earliest, latest } = startFrom(circumstance, of, 0);
  const end = now + offers.horizon * 1000;
  return [[{ what: 'start', of, to: { earliest: end - (latest - earliest), latest: end } }]];
}

/** A shorter or earlier run, which ends before its object does. */
export function whileKept(circumstance: Circumstance, refusal: Refusal): Remedies {
  const {
    ask,
    site: { offers },
    now,
  } = circumstance;
  const { place, asked, limit } = refusal;
  const of = windowOf(place);
  const start = ask.windows[of]?.start ?? 'now';
  const shorter = shorterRun(untilAsked(circumstance, refusal));
  if (start === 'now' || asked?.kind !== 'text' || limit?.kind !== 'text') return shorter;
  const earliest =
    start.earliest - (Date.parse(asked.value) - Date.parse(limit.value)) - offers.lifetime * 1000;
  return earliest < now
    ? shorter
    : [...shorter, [{ what: 'start', of, to: startFrom(circumstance, of, earliest) }]];
}

/** A run that is as long as a destination has room for. */
export function shorterRun({ place, longest }: Refusal): Remedies {
  return longest === undefined || longest < SHORTEST_S
    ? []
    : [[{ what: 'duration', of: windowOf(place), to: seconds(longest) }]];
}

/** The window of the ask that a refusal is about; otherwise the first. */
function windowOf(place: AskPlace): number {
  return 'window' in place ? place.window : 0;
}

/**
 * As wide as the range in the ask, as far as the planner looks, and wide enough for the whole
 * lifetime of an offer.
 */
function startFrom(
  { ask, site: { offers } }: Circumstance,
  of: number,
  earliest: Instant,
): StartRange {
  const start = ask.windows[of]?.start ?? 'now';
  const width =
    start === 'now' || start.latest === start.earliest ? 0 : start.latest - start.earliest + 1;
  const most = Math.min(width, offers.horizon * 1000);
  return {
    earliest: Math.ceil(earliest),
    latest: Math.ceil(earliest) + Math.max(most, offers.lifetime * 1000),
  };
}

/**
 * A start at once moves on while the client reads the answer; the run must fit as long as an offer
 * lives. @see startFrom
 */
function untilAsked(circumstance: Circumstance, { place, longest, ...rest }: Refusal): Refusal {
  const { ask, site, now } = circumstance;
  const start = ask.windows[windowOf(place)]?.start ?? 'now';
  const moves = start === 'now' || start.earliest <= now;
  return {
    ...rest,
    place,
    ...(longest !== undefined && { longest: moves ? longest - site.offers.lifetime : longest }),
  };
}
