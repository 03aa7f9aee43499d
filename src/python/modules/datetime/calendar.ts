/** Days of the proleptic Gregorian calendar in Python's count: day 1 is 1 January of the year 1. */

export const MAX_YEAR = 9999;
/** The ordinal of 31 December 9999. */
export const MAX_ORDINAL = 3_652_059;
const DAY_MS = 86_400_000;
/** The ordinal of 1 January 1970. */
const EPOCH_ORDINAL = 719_163;

/** Year, month and day. */
export type Day = { readonly year: number; readonly month: number; readonly day: number };

export function daysIn(year: number, month: number): number {
  return month === 2 && isLeap(year)
    ? 29
    : (([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const)[month - 1] ?? 31);
}

/** The ordinal of a day. */
export function ordinalOf({ year, month, day }: Day): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / DAY_MS) + EPOCH_ORDINAL;
}

/** The day of an ordinal. */
export function dayOf(ordinal: number): Day {
  const date = new Date((ordinal - EPOCH_ORDINAL) * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The ordinal and the microseconds of the day of an instant in milliseconds since 1970 UTC. */
export function instantOf(ms: number): { ordinal: number; micro: number } {
  const days = Math.floor(ms / DAY_MS);
  return { ordinal: days + EPOCH_ORDINAL, micro: Math.round((ms - days * DAY_MS) * 1000) };
}

/** Monday is 0. */
export function weekdayOf(ordinal: number): number {
  return (ordinal + 6) % 7;
}

/** ISO 8601 year, week and weekday (Monday is 1). */
export function isoWeekOf(ordinal: number): readonly [number, number, number] {
  const weekday = weekdayOf(ordinal);
  const thursday = ordinal - weekday + 3;
  const { year } = dayOf(thursday);
  return [
    year,
    Math.floor((thursday - ordinalOf({ year, month: 1, day: 1 })) / 7) + 1,
    weekday + 1,
  ];
}

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
