import { DateTime } from 'luxon';
import type { Instant, Interval } from './interval.ts';
import { timesOf, type Rule, type WallTime } from './recurrence-rule.ts';

/** Something that happens once, or again and again by the clocks of a time zone (RFC 5545). */
export type Recurrence = {
  readonly start: WallTime;
  /**
   * how long it lasts, or until what the clocks show then: the two differ
   * in the night when clocks change
   */
  readonly length: { readonly kind: 'lasting' | 'by-the-clock'; readonly ms: number };
  /** IANA name */
  readonly zone: string;
  /** undefined: once */
  readonly rule: Rule | undefined;
  /** beginnings that are left out */
  readonly except: ReadonlySet<WallTime>;
};

/** What the clocks of the zone show at an instant. */
export function wallOf(at: Instant, zone: string): WallTime {
  return DateTime.fromMillis(at, { zone }).setZone('utc', { keepLocalTime: true }).toMillis();
}

/**
 * When it happens within a range: a rule counts by the clocks of its time zone, so a weekly Tuesday
 * at 02:00 stays at 02:00 when clocks change.
 *
 * @returns the intervals that touch the range, in order of time
 */
export function occurrences(recurrence: Recurrence, range: Interval): readonly Interval[] {
  const { length, zone, except } = recurrence;
  const found: Interval[] = [];
  for (const wall of beginnings(recurrence)) {
    // No zone is further than 15 hours from UTC: only near the range is the zone asked,
    // which costs a hundred times more.
    if (wall + length.ms < range.start - 2 * DAY_MS) continue;
    const start = instantOf(wall, zone);
    if (start >= range.end || isOver(recurrence, wall, start)) break;
    const end = length.kind === 'lasting' ? start + length.ms : instantOf(wall + length.ms, zone);
    if (end > range.start && end > start && !except.has(wall)) found.push({ start, end });
  }
  return found;
}

const DAY_MS = 86_400_000;

function beginnings({ start, rule }: Recurrence): Iterable<WallTime> {
  return rule === undefined ? [start] : timesOf(rule, start);
}

function instantOf(wall: WallTime, zone: string): Instant {
  return DateTime.fromMillis(wall, { zone: 'utc' })
    .setZone(zone, { keepLocalTime: true })
    .toMillis();
}

function isOver({ rule }: Recurrence, wall: WallTime, at: Instant): boolean {
  return rule?.until !== undefined && (rule.until.utc ? at : wall) > rule.until.at;
}
