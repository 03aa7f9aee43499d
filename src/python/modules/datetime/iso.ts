import { raise } from '../../errors.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';
import { MAX_YEAR, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';
import { checked, microOf } from './fields.ts';
import { PyDate, TimeZone, utc } from './date.ts';

/** An argument that must be a string. */
export function isoText(v: Value | undefined): string {
  return typeof v === 'string' ? v : raise('TypeError', `must be str, not ${typeName(v ?? null)}`);
}

const DATE = /^(\d{4})(?:-(\d\d)-(\d\d)|(\d\d)(\d\d)|-W(\d\d)(?:-(\d))?|W(\d\d)(\d)?)$/;
const CLOCK = /^(\d\d)(?:(:?)(\d\d)(?:\2(\d\d)(?:[.,](\d+))?)?)?$/;
const ZONE = /^([+-])(\d\d)(?:(:?)(\d\d)(?:\3(\d\d)(?:\.(\d+))?)?)?$/;

/** The time of day and zone of an ISO 8601 time. @throws ValueError */
export function clockOf(
  part: string,
  whole: string,
): { micro: number; zone: TimeZone | undefined } {
  const at = part.search(/[Z+-]/);
  const clock = at < 0 ? part : part.slice(0, at);
  const found = CLOCK.exec(clock);
  if (found === null) return bad(whole);
  const [, h, , m = '0', s = '0', f = ''] = found;
  const micro = microOf(Number(h), Number(m), Number(s), Number(f.slice(0, 6).padEnd(6, '0')));
  return { micro, zone: at < 0 ? undefined : zoneOf(part.slice(at), whole) };
}

/** `date.fromisoformat` and `datetime.fromisoformat`. @throws ValueError */
export function fromIso(v: Value | undefined, isDate: boolean): PyDate {
  if (typeof v !== 'string') return raise('TypeError', 'fromisoformat: argument must be str');
  const length = [7, 8, 10].includes(v.length) || isDate ? v.length : dateLength(v);
  const ordinal = dateOf(v.slice(0, length), v);
  if (isDate) return new PyDate(ordinal);
  if (v.length === length) return new PyDate(ordinal, 0);
  const { micro, zone } = clockOf(
    v.slice(length + ((v.codePointAt(length) ?? 0) > 0xffff ? 2 : 1)),
    v,
  );
  return new PyDate(ordinal, micro, zone);
}

function bad(whole: string): never {
  return raise('ValueError', `Invalid isoformat string: ${repr(whole)}`);
}

function zoneOf(part: string, whole: string): TimeZone {
  if (part === 'Z') return utc;
  const [, sign, h, , m = '0', s = '0'] = ZONE.exec(part) ?? bad(whole);
  const seconds = Number(h) * 3600 + Number(m) * 60 + Number(s);
  if (seconds >= 86_400) raise('ValueError', 'offset must be strictly between -24 and 24 hours');
  return seconds === 0 ? utc : new TimeZone(sign === '-' ? -seconds : seconds);
}

/** Characters of the date before the separator of the time. */
function dateLength(whole: string): number {
  if (whole[4] !== '-') {
    if (whole[4] !== 'W') return 8;
    return /^\d{4}W\d\d\d/.test(whole) && !/^\d{4}W\d\d\d\d/.test(whole) ? 8 : 7;
  }
  if (whole[5] !== 'W') return 10;
  return /^\d{4}-W\d\d-\d/.test(whole) && !/^\d{4}-W\d\d-\d\d/.test(whole) ? 10 : 8;
}

/** The ordinal of an ISO 8601 date: a day, or a day of a week. @throws ValueError */
function dateOf(part: string, whole: string): number {
  const found = DATE.exec(part);
  if (found === null) return bad(whole);
  const [, y, m1, d1, m2, d2, w1, wd1, w2, wd2] = found;
  const week = w1 ?? w2;
  const year = Number(y);
  if (week === undefined) return ordinalOf(checked(year, Number(m1 ?? m2), Number(d1 ?? d2)));
  if (year < 1 || year > MAX_YEAR) raise('ValueError', `Year is out of range: ${year}`);
  const fourth = ordinalOf({ year, month: 1, day: 4 });
  const monday = fourth - weekdayOf(fourth) + (Number(week) - 1) * 7;
  const day = Number(wd1 ?? wd2 ?? '1');
  if (Number(week) < 1 || Number(week) > 53 || isoWeekOf(monday)[0] !== year)
    raise('ValueError', `Invalid week: ${Number(week)}`);
  if (day < 1 || day > 7) raise('ValueError', `Invalid day: ${day} (range is [1, 7])`);
  return monday + day - 1;
}
