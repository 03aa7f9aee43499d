import { PyError, raise } from '../../errors.ts';
import { frame } from '../../frame.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { integer, toDouble } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { scaled } from '../../text/float.ts';
import { MAX_ORDINAL, instantOf } from './calendar.ts';
import type { TimeZone } from './date.ts';
import { PyDate } from './date.ts';
import { DAY_MICROS } from './timedelta.ts';

/**
 * The time of the evaluation, in milliseconds since 1970 UTC. Rules see UTC as their local time.
 */
export function now(): number {
  return frame.now === undefined
    ? raise('NotImplementedError', 'this evaluation was given no clock')
    : frame.now();
}

/** A datetime of an instant, in a zone or (naive) in UTC. */
export function datetimeAt(ms: number, zone: TimeZone | undefined): PyDate {
  const { ordinal, micro } = instantOf(ms + (zone?.offset ?? 0) * 1000);
  return new PyDate(ordinal, micro, zone);
}

/**
 * A datetime of a timestamp in seconds, rounded half to even on microseconds.
 * @throws ValueError, OverflowError
 */
export function fromTimestamp(v: Value, zone: TimeZone | undefined): PyDate {
  const seconds = toDouble(v);
  if (!Number.isFinite(seconds)) {
    raise(
      Number.isNaN(seconds) ? 'ValueError' : 'OverflowError',
      `cannot convert float ${Number.isNaN(seconds) ? 'NaN' : 'infinity'} to integer`,
    );
  }
  if (Math.abs(seconds) > 9.3e18)
    raise('OverflowError', 'timestamp out of range for platform time_t');
  if (Math.abs(seconds) > 6.7e16)
    throw new PyError(
      'OSError',
      [75, 'Value too large for defined data type'],
      '[Errno 75] Value too large',
    );
  const whole = Math.floor(seconds);
  const micros = Number(scaledMicros(seconds - whole));
  const days = Math.floor(whole / 86_400);
  const ordinal = days + 719_163;
  if (ordinal < 1 || ordinal > MAX_ORDINAL) raise('ValueError', `year is out of range`);
  const local = (whole - days * 86_400) * 1e6 + micros + (zone?.offset ?? 0) * 1e6;
  const carry = Math.floor(local / DAY_MICROS);
  return new PyDate(ordinal + carry, local - carry * DAY_MICROS, zone);
}

/** Seconds since 1970 as a float, rounded once. */
export function secondsOf(self: PyDate): number {
  const [ordinal, micro] = self.instant;
  const micros = BigInt(ordinal - 719_163) * BigInt(DAY_MICROS) + BigInt(micro);
  return toDouble(binary('/', integer(micros), 1_000_000));
}

/**
 * CPython looks one day back for the local time of a naive datetime.
 * @throws ValueError on the first day of all
 */
export function refuseFirstDay(self: PyDate): void {
  if (self.zone === undefined && self.ordinal === 1) raise('ValueError', 'year 0 is out of range');
}

/** The same instant in another zone; a naive one counts as UTC. */
export function inZone(self: PyDate, zone: TimeZone): PyDate {
  const [ordinal, micro] = self.instant;
  const local = micro + zone.offset * 1e6;
  const carry = Math.floor(local / DAY_MICROS);
  return new PyDate(ordinal + carry, local - carry * DAY_MICROS, zone);
}

/** A fraction of a second in microseconds, rounded half to even. */
function scaledMicros(fraction: number): bigint {
  return scaled(fraction, 6);
}
