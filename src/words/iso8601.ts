import { DateTime } from 'luxon';

/**
 * Instants, durations and intervals of ISO 8601 as clients write them. This is a grammar of our
 * own, because the regular expressions in the drafts do not compile in JavaScript, accept some
 * wrong texts and refuse some right ones.
 */

/** What is wrong with a text for a time. */
export type TimeFault = 'unreadable' | 'zone-missing' | 'repeats' | 'form-unsupported' | 'inverted';

type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: TimeFault };

const LONGEST = 100;
const CLOCK = String.raw`\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?`;
const ZONE = String.raw`Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?`;
const INSTANT = new RegExp(`^(\\d{4}-\\d\\d-\\d\\d|\\d{8})(?:[T ](${CLOCK})(${ZONE})?)?$`, 'i');
/**
 * An end without the parts that it shares with its start: `T12:00Z`, `12:00Z`, `15T12:00Z`,
 * `08-15T12:00Z`.
 */
const SHORT_END = new RegExp(`^(?:(?:(\\d\\d)-)?(\\d\\d)T|T?)(${CLOCK})(${ZONE})?$`, 'i');

/**
 * Reads an instant: a date, a time of day to the minute or finer, and a zone. `2026-08-14T11:30Z`
 * and `20260814T133000+0200` are the same.
 *
 * @returns milliseconds since 1970
 */
export function parseInstant(text: string): Parsed<number> {
  const [, date, clock, zone] = text.length > LONGEST ? [] : (INSTANT.exec(text.trim()) ?? []);
  if (date === undefined) return fault('unreadable');
  if (clock === undefined || zone === undefined) {
    return DateTime.fromISO(`${date}T00:00Z`).isValid ? fault('zone-missing') : fault('unreadable');
  }
  const at = DateTime.fromISO(`${basic(date)}T${basic(clock)}${basic(zone)}`.toUpperCase(), {
    zone: 'utc',
  });
  return at.isValid ? found(at.toMillis()) : fault('unreadable');
}

/** @param at milliseconds since 1970 @returns `2026-08-14T11:30:00.000Z` */
export function printInstant(at: number): string {
  return new Date(at).toISOString();
}

const NUMBER = String.raw`(\d{1,9}(?:[.,]\d{1,9})?)`;
const DURATION = new RegExp(
  `^P(?=.)(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T?(?=\\d)(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
  'i',
);
/** `P30M` is 30 months by the standard and 30 minutes in some drafts, so it is refused. */
const MINUTES_OR_MONTHS = /^P(?:\d+W)?(?:\d+D)?\d+M/i;
const BARE = /^\d+[WDHS]$/i;
const UNITS = [604_800n, 86_400n, 3600n, 60n, 1n] as const;

/**
 * Reads a duration in weeks, days (of 24 hours), hours, minutes and seconds. The `P` may be missing
 * before a single unit (the 2023 draft writes `1D`), and the `T` before hours (later drafts write
 * `P1H`). Years and months are refused, because their length varies.
 *
 * @returns seconds, possibly with a fraction; never negative
 */
export function parseDuration(text: string): Parsed<number> {
  const trimmed = text.length > LONGEST ? '' : text.trim();
  const full = BARE.test(trimmed) ? `P${trimmed}` : trimmed;
  const match = MINUTES_OR_MONTHS.test(full) ? null : DURATION.exec(full);
  if (match === null) return fault('unreadable');
  // Computes exactly: 1.1 h are 3960 s, but a product of fractions is slightly more, and rounds up
  // to 3961 s.
  const sum = UNITS.reduce(
    (all, unit, index) => all + unit * billionths(match[index + 1] ?? '0'),
    0n,
  );
  return found(Number(sum / 1_000_000_000n) + Number(sum % 1_000_000_000n) / 1e9);
}

/** An instant (start and end are equal) or an interval, in milliseconds since 1970. */
type Span = { readonly start: number; readonly end: number };

/**
 * Reads an instant, `start/end` or `start/duration`. The end may omit what it shares with the start,
 * as in the 2023 draft (`2023-08-14T11:30Z/T12:00Z`). Repeating intervals, open ones and
 * `duration/end` have faults of their own.
 *
 * @param forms `all`: `duration/end` is read, too; the 2023 draft leaves it out
 */
export function parseSpan(text: string, forms: 'forward' | 'all' = 'forward'): Parsed<Span> {
  const trimmed = text.trim();
  if (text.length > LONGEST) return fault('unreadable');
  if (/^R\d*\//i.test(trimmed)) return fault('repeats');
  const [startText = '', endText, ...more] = trimmed.split('/').map((part) => part.trim());
  if (more.length > 0) return fault('unreadable');
  if (forms === 'all' && /^P/i.test(startText) && endText !== undefined && !/^P/i.test(endText))
    return parseBackward(startText, endText);
  if (
    endText !== undefined &&
    (/^P/i.test(startText) || ['', '..'].includes(startText) || ['', '..'].includes(endText))
  ) {
    return fault('form-unsupported');
  }
  const start = parseInstant(startText);
  if (!start.ok) return start;
  if (endText === undefined) return found({ start: start.value, end: start.value });
  const end = parseEnd(startText, start.value, endText);
  if (!end.ok) return end;
  return end.value < start.value
    ? fault('inverted')
    : found({ start: start.value, end: end.value });
}

function parseBackward(lengthText: string, endText: string): Parsed<Span> {
  const [length, end] = [parseDuration(lengthText), parseInstant(endText)];
  if (!length.ok) return length;
  if (!end.ok) return end;
  return found({ start: end.value - Math.round(length.value * 1000), end: end.value });
}

function fault(what: TimeFault): { readonly ok: false; readonly fault: TimeFault } {
  return { ok: false, fault: what };
}

/** Turns a part into the basic format, and keeps the sign of a zone. */
function basic(part: string): string {
  return /^[+-]/.test(part)
    ? `${part[0]}${part.slice(1).replaceAll(':', '')}`
    : part.replaceAll(/[-:]/g, '');
}

function found<Value>(value: Value): Parsed<Value> {
  return { ok: true, value };
}

/** The billionths of a number as it is written: the grammar allows nine decimals. */
function billionths(text: string): bigint {
  const [whole = '', fraction = ''] = text.split(/[.,]/);
  return BigInt(`${whole}${fraction.padEnd(9, '0')}`);
}

function parseEnd(startText: string, start: number, end: string): Parsed<number> {
  if (/^P|^\d+[WDHS]$/i.test(end)) {
    const length = parseDuration(end);
    return length.ok ? found(start + Math.round(length.value * 1000)) : length;
  }
  const whole = completeEnd(startText, end);
  return whole === undefined ? fault('unreadable') : parseInstant(whole);
}

/** Adds to an end the date and the zone that it shares with its start (ISO 8601-1, 5.5.2.3). */
function completeEnd(start: string, end: string): string | undefined {
  const whole = INSTANT.exec(end);
  const ownZone = /[T\s].*?(Z|[+-]\d\d(?::?\d\d)?)$/i.exec(start)?.[1] ?? '';
  if (whole !== null)
    return whole[2] !== undefined && whole[3] === undefined ? `${end}${ownZone}` : end;
  const short = SHORT_END.exec(end);
  const date = /^(\d{4})-?(\d\d)-?(\d\d)/.exec(start);
  if (short === null || date === null) return undefined;
  const [, year, month, day] = date;
  return `${year}-${short[1] ?? month}-${short[2] ?? day}T${short[3]}${short[4] ?? ownZone}`;
}
