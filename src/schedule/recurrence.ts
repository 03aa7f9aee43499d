import { DateTime, IANAZone } from 'luxon';
import type { Instant, Interval } from './interval.ts';
import { timesOf, type Rule, type WallTime } from './recurrence-rule.ts';

/** An event that happens once or repeatedly by the clocks of a time zone (RFC 5545). */
export type Recurrence = {
  readonly start: WallTime;
  /**
   * its duration, or the difference of the clock times; the two differ in the night of a clock
   * change
   */
  readonly length: { readonly kind: 'lasting' | 'by-the-clock'; readonly ms: number };
  /** IANA name */
  readonly zone: string;
  /** undefined: once */
  readonly rule: Rule | undefined;
  /** excluded starts */
  readonly except: ReadonlySet<WallTime>;
};

/** The clock time of a zone at an instant. */
export function wallOf(at: Instant, zone: string): WallTime {
  return DateTime.fromMillis(at, { zone }).setZone('utc', { keepLocalTime: true }).toMillis();
}

/**
 * The instant at which the clocks of a zone show a time: the first one where they show it twice; where
 * they never do, as if they had not been put forward (RFC 5545 § 3.3.5).
 */
export function instantOfWall(wall: WallTime, zone: string): Instant {
  const offsetAt = (at: Instant): number => IANAZone.create(zone).offset(at) * MINUTE_MS;
  const [before, after] = [offsetAt(wall - DAY_MS), offsetAt(wall + DAY_MS)];
  const first = wall - Math.max(before, after);
  return wallOf(first, zone) === wall ? first : wall - Math.min(before, after);
}

/**
 * The occurrences in a range. A rule counts by the clocks of its time zone, so a weekly Tuesday at
 * 02:00 stays at 02:00 after a clock change.
 *
 * @returns the intervals that overlap the range, in order of time
 */
export function occurrences(recurrence: Recurrence, range: Interval): readonly Interval[] {
  const { length, zone, except } = recurrence;
  const found: Interval[] = [];
  for (const wall of beginnings(recurrence)) {
    // No zone is further than 15 hours from UTC, so only times near the range need a look at the
    // zone, which costs a hundred times more.
    if (wall + length.ms < range.start - 2 * DAY_MS) continue;
    const start = instantOfWall(wall, zone);
    if (start >= range.end || isOver(recurrence, wall, start)) break;
    const end =
      length.kind === 'lasting' ? start + length.ms : instantOfWall(wall + length.ms, zone);
    if (end > range.start && end > start && !except.has(wall)) found.push({ start, end });
  }
  return found;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

function beginnings({ start, rule }: Recurrence): Iterable<WallTime> {
  return rule === undefined ? [start] : timesOf(rule, start);
}

function isOver({ rule }: Recurrence, wall: WallTime, at: Instant): boolean {
  return rule?.until !== undefined && (rule.until.utc ? at : wall) > rule.until.at;
}
