import type { Instant, StartRange } from '../../schedule/interval.ts';
import type { OfferTerms } from '../../site/site.ts';
import { seconds, type Seconds } from '../../words/units.ts';
import type { Ask, AskWindow } from '../ask.ts';
import { numberQuantity, textQuantity, type Refusal } from '../refusal.ts';
import { printInstant } from '../../words/iso8601.ts';

/**
 * A window of the ask that can be planned in: not past, not too far ahead, with the
 * duration that will be offered.
 */
export type OpenWindow = {
  readonly kind: 'now' | 'window';
  readonly starts: StartRange;
  readonly duration: Seconds;
  /** its place among the windows of the ask */
  readonly index: number;
};

/**
 * What will be offered: the site's duration, held within what was asked and what is offered at all.
 */
export function durationFor(
  { min, max }: AskWindow['duration'],
  { duration, longest }: OfferTerms,
): Seconds {
  return seconds(Math.max(min ?? 1, Math.min(duration, max ?? duration, longest)));
}

/** The windows that can be planned in, and why the others cannot. */
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
      index,
    }));
  return { open, refusals: judged.flatMap(({ refusals }) => refusals) };
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
