import { round, shown, type Instant } from '../../time.ts';
import { CALENDAR_WORDS } from '../words.ts';
import { amountOf, type Away, type Resource, type Row } from '../book.ts';
import { leastOf, stepAt } from './steps.ts';

/** A sentence for each of many would not be listened to; the page of the destination has them all. */
const MOST_OWN = 3;

/**
 * A row in words: what is free now, where it is least, what is the reader's own, and maintenance
 * with its reason.
 */
export function rowSentence(row: Row, resource: Resource, now: Instant, zone: string): string {
  const words = CALENDAR_WORDS;
  const most = amountOf(row.capacity, resource);
  if (most === 0) return `${row.destination}: ${words.none[resource]}`;
  const least = leastOf(row, resource);
  const time = (instant: number): string => shown(instant, zone);
  const parts = [
    `${row.destination}: ${words.freeAt(
      round(amountOf(stepAt(row.steps, now).free, resource)),
      round(most),
      words.units[resource],
      time(now),
    )}`,
    words.least(round(least.free), time(least.start), time(least.end)),
    ...row.own.slice(0, MOST_OWN).map(({ start, end }) => words.ownFrom(time(start), time(end))),
    ...row.away.map(({ reason, ...span }) => words.awayFor(reason, spanText(span, zone))),
  ];
  return parts.join(' ');
}

/** From when to when; an operator's maintenance may have no end. */
export function spanText({ start, end }: Pick<Away, 'start' | 'end'>, zone: string): string {
  const { fromTo, fromOn } = CALENDAR_WORDS;
  return end < OPEN_END ? fromTo(shown(start, zone), shown(end, zone)) : fromOn(shown(start, zone));
}

/** The end of what nobody has ended yet, in the calendar of the API. */
const OPEN_END = Date.UTC(9999, 0);
