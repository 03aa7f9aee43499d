import type { Instant, Interval } from '../../schedule/interval.ts';
import type { Occupation } from '../../schedule/profile.ts';
import type { OfferTerms, SiteDestination } from '../../site/site.ts';
import type { Seconds } from '../../words/units.ts';
import type { Proposal } from '../offer.ts';
import type { OpenWindow } from './windows.ts';

/** When one offer runs, and until when it can be accepted. */
export type OfferSlot = {
  readonly startsAt: Instant;
  readonly expiresAt: Instant;
  readonly duration: Seconds;
};

/** A window at one destination: its starts are those for which there is time to prepare. */
export type LocalWindow = OpenWindow & {
  readonly expiresAt: Instant;
  readonly occupation: Occupation;
};

type Times = Pick<
  Proposal,
  'startsAt' | 'expiresAt' | 'prepare' | 'startWindow' | 'duration' | 'release'
>;

/**
 * What is reserved for an offer while its client decides: from the beginning of
 * its preparation until the last run that it could become is torn down. Accepted
 * late, it starts later than offered.
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
 * The same window at a destination, undefined when it ends before the destination can be ready. An
 * offer expires early enough that even one accepted in its last moment starts within the window.
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
