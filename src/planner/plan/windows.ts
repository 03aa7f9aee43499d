import type { Instant, Interval, StartRange } from '../../schedule/interval.ts';
import type { Occupation } from '../../schedule/profile.ts';
import type { OfferTerms, SiteDestination } from '../../site/destination.ts';
import { printInstant } from '../../words/iso8601.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import type { Ask, AskWindow } from '../ask.ts';
import type { Proposal } from '../offer.ts';
import { numberQuantity, textQuantity, type Refusal } from '../refusal.ts';

/** A window of the ask that is neither past nor too far ahead, with the duration of its offers. */
export type OpenWindow = {
  readonly kind: 'now' | 'window';
  readonly starts: StartRange;
  readonly duration: Seconds;
  /** the shortest run that the ask names, in seconds; 0: none */
  readonly least: number;
  /** its place among the windows of the ask */
  readonly index: number;
};

/** A window at one destination, with the starts that leave time to prepare. */
export type LocalWindow = OpenWindow & {
  readonly expiresAt: Instant;
  readonly occupation: Occupation;
};

/** The duration of an offer: that of the site, within the bounds of the ask and of all offers. */
export function durationFor(
  { min, max }: AskWindow['duration'],
  { duration, longest }: OfferTerms,
): Seconds {
  return seconds(Math.max(min ?? 1, Math.min(duration, max ?? duration, longest)));
}

/** The windows that are possible, and why the others are not. */
export function openWindows(
  ask: Ask,
  terms: OfferTerms,
  now: Instant,
): { readonly open: readonly OpenWindow[]; readonly refusals: readonly Refusal[] } {
  const judged = ask.windows.map((window, index) => ({
    window,
    index,
    refusals: objectionsTo(window, index, terms, now),
  }));
  const open = judged
    .filter(({ refusals }) => refusals.length === 0)
    .map(({ window: { start, duration }, index }): OpenWindow => ({
      kind: start === 'now' ? 'now' : 'window',
      starts:
        start === 'now'
          ? { earliest: now, latest: now }
          : {
              earliest: Math.max(start.earliest, now),
              latest: Math.min(start.latest, now + terms.horizon * 1000),
            },
      duration: durationFor(duration, terms),
      least: duration.min ?? 0,
      index,
    }));
  return { open, refusals: judged.flatMap(({ refusals }) => refusals) };
}

type Times = Pick<
  Proposal,
  'startsAt' | 'expiresAt' | 'prepare' | 'startWindow' | 'duration' | 'release'
>;

/**
 * The time that is reserved for an offer while its client decides: from its preparation until the
 * end of the latest possible run. An offer that is accepted late starts late.
 */
export function spanOf({
  startsAt,
  expiresAt,
  prepare,
  startWindow,
  duration,
  release,
}: Times): Interval {
  return {
    start: startsAt - prepare * 1000,
    end: Math.max(startsAt, expiresAt + prepare * 1000) + (startWindow + duration + release) * 1000,
  };
}

/**
 * A window at a destination; undefined if it ends before the destination can be ready. Offers
 * expire so early that even one that is accepted at the last moment starts within the window.
 */
export function localWindow(
  window: OpenWindow,
  { prepare, release }: SiteDestination,
  { lifetime, startWindow }: OfferTerms,
  now: Instant,
): LocalWindow | undefined {
  const lead = prepare * 1000;
  const { earliest, latest } = window.starts;
  const starts =
    window.kind === 'now'
      ? { earliest: now + lead, latest: now + lead }
      : { earliest: Math.max(earliest, now + lead), latest };
  if (starts.earliest > starts.latest) return undefined;
  const expiresAt =
    window.kind === 'now' ? now + lifetime * 1000 : Math.min(now + lifetime * 1000, latest - lead);
  const span = (startsAt: Instant): Interval =>
    spanOf({ startsAt, expiresAt, prepare, startWindow, duration: window.duration, release });
  return {
    ...window,
    starts,
    expiresAt,
    occupation: { begin: (start) => span(start).start, end: (start) => span(start).end },
  };
}

function objectionsTo(
  { start, duration }: AskWindow,
  window: number,
  { longest, horizon }: OfferTerms,
  now: Instant,
): readonly Refusal[] {
  const tooLong: readonly Refusal[] =
    duration.min === undefined || duration.min <= longest
      ? []
      : [
          {
            code: 'duration-too-long',
            place: { what: 'duration', window },
            asked: numberQuantity(duration.min),
            limit: numberQuantity(longest),
            detail: 'Both in seconds.',
          },
        ];
  if (start === 'now') return tooLong;
  const last = now + horizon * 1000;
  if (start.latest < now)
    return [
      ...tooLong,
      {
        code: 'time-past',
        place: { what: 'window', window },
        asked: textQuantity(printInstant(start.latest)),
        limit: textQuantity(printInstant(now)),
      },
    ];
  if (start.earliest > last)
    return [
      ...tooLong,
      {
        code: 'time-beyond-horizon',
        place: { what: 'window', window },
        asked: textQuantity(printInstant(start.earliest)),
        limit: textQuantity(printInstant(last)),
      },
    ];
  return tooLong;
}
