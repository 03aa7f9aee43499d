/**
 * The part of RFC 5545's recurrence rules for maintenance: days, weeks, months and years. It tries
 * one day after the other, so a rule that never happens ends, too; the library for calendar files
 * would search 30 February for ever, and misses days of `FREQ=MONTHLY;BYMONTH=…`.
 */

/** A time on the clocks of a place, in milliseconds as if those clocks showed UTC. */
export type WallTime = number;

type Frequency = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
/** The second Monday; the last Friday is -1; every one is 0. */
type Weekday = { readonly day: number; readonly ordinal: number };

/** A valid rule. */
export type Rule = {
  readonly frequency: Frequency;
  readonly interval: number;
  readonly count: number;
  /** the last possible time; `utc`: an instant, otherwise a time on the clocks */
  readonly until: { readonly at: number; readonly utc: boolean } | undefined;
  readonly weekStart: number;
  readonly weekdays: readonly Weekday[];
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
};

const PARTS = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTH', 'BYMONTHDAY', 'WKST'];
const FREQUENCIES: readonly Frequency[] = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const DAY_MS = 86_400_000;

class Refused extends Error {}

/** Reads a rule such as `FREQ=WEEKLY;BYDAY=TU`; returns a text if something is wrong with it. */
export function readRule(text: string): Rule | string {
  try {
    return read(text);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

/** A hundred years of days; a higher count is a mistake. */
const MOST_DAYS = 36_525;

/**
 * The times of a rule that begins at `start`, in order. The start itself counts only if the rule
 * includes it.
 */
export function* timesOf(rule: Rule, start: WallTime): Generator<WallTime> {
  const first = new Date(start);
  let left = rule.count;
  for (let day = 0; day < MOST_DAYS && left > 0; day += 1) {
    const date = new Date(start + day * DAY_MS);
    if (rule.months.length > 0 && !rule.months.includes(date.getUTCMonth() + 1)) continue;
    if (rule.monthDays.length > 0 && !hasMonthDay(rule, date)) continue;
    if (rule.weekdays.length > 0 && !hasWeekday(rule, date)) continue;
    if (!isInStep(rule, first, date) || !isAsStart(rule, first, date)) continue;
    left -= 1;
    yield date.getTime();
  }
}

function read(text: string): Rule {
  const parts = new Map(
    text
      .replace(/^RRULE:/i, '')
      .toUpperCase()
      .split(';')
      .map((part): [string, string] => {
        const [name = '', value = ''] = part.split('=');
        return [name, value];
      }),
  );
  const strange = [...parts.keys()].find((name) => !PARTS.includes(name));
  if (strange !== undefined)
    throw new Refused(
      `${strange === '' ? 'an empty part' : strange} is not supported; known are ${PARTS.join(', ')}`,
    );
  const frequency = FREQUENCIES.find((name) => name === parts.get('FREQ'));
  if (frequency === undefined) throw new Refused(`FREQ is one of ${FREQUENCIES.join(', ')}`);
  const start = parts.get('WKST') ?? 'MO';
  if (!DAYS.includes(start)) throw new Refused('WKST is a day such as MO');
  return {
    frequency,
    interval: wholes(parts.get('INTERVAL'), 'INTERVAL', 1000)[0] ?? 1,
    count: wholes(parts.get('COUNT'), 'COUNT', 100_000)[0] ?? Infinity,
    until: untilOf(parts.get('UNTIL')),
    weekStart: DAYS.indexOf(start),
    weekdays: (parts.get('BYDAY')?.split(',') ?? []).map((part) => weekday(part, frequency)),
    months: wholes(parts.get('BYMONTH'), 'BYMONTH', 12),
    monthDays: wholes(parts.get('BYMONTHDAY'), 'BYMONTHDAY', 31, true),
  };
}

function wholes(
  text: string | undefined,
  name: string,
  most: number,
  negative = false,
): readonly number[] {
  return (text === undefined ? [] : text.split(',')).map((part) => {
    const value = /^[+-]?\d{1,6}$/.test(part) ? Number(part) : Number.NaN;
    if ((value >= 1 && value <= most) || (negative && -value >= 1 && -value <= most)) return value;
    throw new Refused(
      `${name} is a whole number from 1 to ${most}${negative ? ', or below zero from the end' : ''}`,
    );
  });
}

function untilOf(text: string | undefined): Rule['until'] {
  if (text === undefined) return undefined;
  const [, date, time, zone] = /^(\d{8})(?:T(\d{6})(Z)?)?$/.exec(text) ?? [];
  const day = date?.replace(/(....)(..)(..)/, '$1-$2-$3');
  const clock = (time ?? '235959').replace(/(..)(..)(..)/, '$1:$2:$3');
  const iso = `${day}T${clock}Z`;
  const at = date === undefined ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(at))
    throw new Refused('UNTIL is a date or time such as 20271231 or 20271231T235959Z');
  return { at, utc: zone !== undefined };
}

function weekday(part: string, frequency: Frequency): Weekday {
  const [, ordinal = '0', day = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(part) ?? [];
  if (!DAYS.includes(day)) throw new Refused('BYDAY has days such as MO, 1MO or -1FR');
  if (ordinal !== '0' && frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    throw new Refused(`BYDAY of ${frequency} has days without numbers`);
  return { day: DAYS.indexOf(day), ordinal: Number(ordinal) };
}

function hasMonthDay({ monthDays }: Rule, date: Date): boolean {
  return (
    monthDays.includes(date.getUTCDate()) ||
    monthDays.includes(date.getUTCDate() - 1 - daysIn(date.getUTCFullYear(), date.getUTCMonth()))
  );
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}

function hasWeekday({ weekdays, frequency, months }: Rule, date: Date): boolean {
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const wholeYear = frequency === 'YEARLY' && months.length === 0;
  const index = wholeYear
    ? Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / DAY_MS)
    : date.getUTCDate() - 1;
  const length = wholeYear ? 337 + daysIn(year, 1) : daysIn(year, month);
  return weekdays.some(
    ({ day, ordinal }) => day === date.getUTCDay() && isOrdinal(ordinal, index, length),
  );
}

/**
 * Is the day at `index` of a month or year with `length` days the one of its weekday with this
 * ordinal?
 */
function isOrdinal(ordinal: number, index: number, length: number): boolean {
  return (
    ordinal === 0 ||
    ordinal === Math.floor(index / 7) + 1 ||
    -ordinal === Math.floor((length - 1 - index) / 7) + 1
  );
}

/** Is its day, week, month or year a multiple of `interval` after the start's? */
function isInStep({ frequency, interval, weekStart }: Rule, start: Date, date: Date): boolean {
  const day = (at: Date): number => Math.floor(at.getTime() / DAY_MS);
  const week = (at: Date): number => Math.floor((day(at) - ((weekStart + 3) % 7)) / 7);
  const month = (at: Date): number => at.getUTCFullYear() * 12 + at.getUTCMonth();
  const count = {
    DAILY: day,
    WEEKLY: week,
    MONTHLY: month,
    YEARLY: (at: Date): number => at.getUTCFullYear(),
  }[frequency];
  return (count(date) - count(start)) % interval === 0;
}

/** Is the date like the start in what the rule leaves open: weekday, day of the month, month? */
function isAsStart(rule: Rule, start: Date, date: Date): boolean {
  if (rule.weekdays.length > 0 || rule.monthDays.length > 0) return true;
  switch (rule.frequency) {
    case 'DAILY':
      return true;
    case 'WEEKLY':
      return date.getUTCDay() === start.getUTCDay();
    case 'MONTHLY':
      return date.getUTCDate() === start.getUTCDate();
    case 'YEARLY':
      return (
        date.getUTCDate() === start.getUTCDate() &&
        (rule.months.length > 0 || date.getUTCMonth() === start.getUTCMonth())
      );
    default:
      return rule.frequency satisfies never;
  }
}
