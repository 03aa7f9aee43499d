import { raise } from '../../errors.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { MAX_YEAR, daysIn } from './calendar.ts';
import type { Day } from './calendar.ts';
import { TimeZone } from './date.ts';
import { indexOf } from '../../objects/numbers/number.ts';

/**
 * Checks of the fields of dates and times. All throw ValueError, or TypeError for a zone of another
 * class.
 */

/** A field of `replace()`: the argument, or the old value. */
export function replacedField(v: Value | undefined, old: number): number {
  return v === undefined ? old : indexOf(v);
}

/** A day that exists. */
export function checked(year: number, month: number, day: number): Day {
  checkWidth(year, month, day);
  if (year < 1 || year > MAX_YEAR) raise('ValueError', `year ${year} is out of range`);
  if (month < 1 || month > 12) raise('ValueError', 'month must be in 1..12');
  if (day < 1 || day > daysIn(year, month)) raise('ValueError', 'day is out of range for month');
  return { year, month, day };
}

/** Microseconds of the day. */
export function microOf(h: number, m: number, s: number, f: number): number {
  checkWidth(h, m, s, f);
  if (h < 0 || h > 23) raise('ValueError', 'hour must be in 0..23');
  if (m < 0 || m > 59) raise('ValueError', 'minute must be in 0..59');
  if (s < 0 || s > 59) raise('ValueError', 'second must be in 0..59');
  if (f < 0 || f > 999_999) raise('ValueError', 'microsecond must be in 0..999999');
  return (h * 3600 + m * 60 + s) * 1e6 + f;
}

/** The `tzinfo` argument. */
export function zoneOf(v: Value | undefined): TimeZone | undefined {
  if (v === undefined || v === null || v instanceof TimeZone) return v ?? undefined;
  return raise(
    'TypeError',
    `tzinfo argument must be None or of a tzinfo subclass, not type '${typeName(v)}'`,
  );
}

/** @throws OverflowError for a field beyond a C int, which CPython checks first */
function checkWidth(...fields: readonly number[]): void {
  const wide = fields.find((field) => field > 0x7fffffff || field < -0x80000000);
  if (wide !== undefined)
    raise(
      'OverflowError',
      `signed integer is ${wide > 0 ? 'greater than maximum' : 'less than minimum'}`,
    );
}
