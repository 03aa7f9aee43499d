// DALI § 3.3 and other forms that clients send: a year, a month, a day with or without dashes, and
// a time of day after `T` or a blank. Always UTC: an offset other than `Z` is an error.
const DATE = /^(?!0000)(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)$/;
const TIME_OF_DAY = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?Z?$/;

/**
 * Reads a time as UWS clients write it: `2026-08-10T10:00:00.000Z`, `2015-10-26 09:00`,
 * `2015-10-26`, `2015`, `20151026`. A time without `Z` is UTC too (uws-client omits it). Drops
 * digits below the millisecond.
 *
 * @returns undefined for a text that is not a time, or a day or an hour that does not exist
 */
export function readTime(text: string): Date | undefined {
  const [, date = '', time] = /^([^T ]*)(?:[T ](.*))?$/.exec(text) ?? [];
  const day = DATE.exec(date.replace(BASIC_DATE, '$1-$2-$3'));
  const clock = time === undefined ? [] : TIME_OF_DAY.exec(time);
  if (day === null || clock === null || (time !== undefined && day[3] === undefined))
    return undefined;
  const [, year, month = '01', dayOfMonth = '01'] = day;
  const [, hour = '00', minute = '00', second = '00', fraction = ''] = clock;
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const canonical = `${year}-${month}-${dayOfMonth}T${hour}:${minute}:${second}.${milliseconds}Z`;
  const read = new Date(canonical);
  // Date reads 30 February as 2 March, and 24:00 as the next day.
  return !Number.isNaN(read.getTime()) && read.toISOString() === canonical ? read : undefined;
}

/** Prints a time as UWS requires: UTC, `T`, `Z` (§ 2.2.1), with milliseconds. */
export function printTime(time: Date): string {
  return time.toISOString();
}
