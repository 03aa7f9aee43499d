import type { Instant } from '../time.ts';
import type { Span } from './picture/picture.ts';

/** Numbers of days that the calendar shows at once. */
export const DAYS = [1, 3, 7, 30] as const;
export type Days = (typeof DAYS)[number];

/** Minutes by which the keys move the time that is looked at. */
export const QUARTER = 900_000;

/** What part of the calendar is wanted. */
export type Part = {
  /** undefined: from now on */
  readonly from: Instant | undefined;
  readonly days: Days;
};

/** The clock of the service, and how far ahead its book goes; milliseconds. */
export type Horizon = { readonly now: Instant; readonly ahead: number };

const DAY = 86_400_000;
const MINUTE = 60_000;
/** The clocks of page and service may differ by this without a refusal. */
const MARGIN = 5 * MINUTE;

/** The time that is shown for a part: whole quarters of an hour, within the horizon. */
export function spanOf({ from, days }: Part, { now, ahead }: Horizon): Span {
  const begin = quarterAt(Math.max(now, Math.min(from ?? now, lastStart({ now, ahead }, days))));
  const end = Math.min(begin + days * DAY, quarterAt(now + ahead - MARGIN));
  return { from: begin, to: Math.max(end, begin + QUARTER) };
}

/** The part before, or undefined if this one begins now. */
export function earlier({ from, days }: Part, { now }: Horizon): Part | undefined {
  if (from === undefined || from <= now) return undefined;
  const start = from - days * DAY;
  return { from: start <= now ? undefined : start, days };
}

/** The part after, or undefined if the horizon is shown already. */
export function later(part: Part, horizon: Horizon): Part | undefined {
  const { from, to } = spanOf(part, horizon);
  const last = lastStart(horizon, part.days);
  // Without a whole quarter more there is nothing to see.
  if (from + QUARTER > last) return undefined;
  return { from: Math.min(to, last), days: part.days };
}

/** The quarter of an hour that has begun. */
export function quarterAt(instant: Instant): Instant {
  return Math.floor(instant / QUARTER) * QUARTER;
}

/** The latest start that still shows as many days, or now. */
function lastStart({ now, ahead }: Horizon, days: Days): Instant {
  return Math.max(now, quarterAt(now + ahead - MARGIN) - days * DAY);
}
