import { PyError, raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { binary } from '../objects/numbers/arithmetic.ts';
import { moduleOf } from '../objects/classes/module.ts';
import type { PyModule } from '../objects/classes/module.ts';
import {
  defineClassMethod,
  defineGetters,
  defineMethods,
  nativeFunction,
} from '../objects/classes/native.ts';
import { float, indexOf, integer, toDouble } from '../objects/numbers/number.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { scaled } from '../text/float.ts';
import { MAX_ORDINAL, MAX_YEAR, instantOf, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';
import {
  Moment,
  TimeZone,
  dateClass,
  datetimeClass,
  timezoneClass,
  tzinfoClass,
  utc,
} from './date-and-datetime.ts';
import { fromIso, isoText } from './iso.ts';
import { checked, microOf, zoneOf } from './fields.ts';
import { tupleClass } from './namedtuple.ts';
import { strftime, strptime } from './strftime.ts';
import { DAY_MICROS, TimeDelta, timedelta } from './timedelta.ts';
import { TimeOfDay, timeClass } from './timeofday.ts';

/**
 * The time of the evaluation, in milliseconds since 1970 UTC. Rules see UTC as their local time.
 */
export function now(): number {
  return frame.now === undefined
    ? raise('NotImplementedError', 'this evaluation was given no clock')
    : frame.now();
}

const makeDate = nativeFunction(
  'date(year, month, day)',
  (y: Value, m: Value, d: Value) =>
    new Moment(ordinalOf(checked(indexOf(y), indexOf(m), indexOf(d)))),
);
const makeDatetime = nativeFunction(
  'datetime(year, month, day, hour=, minute=, second=, microsecond=, tzinfo=, *, fold=)',
  (y: Value, m: Value, d: Value, h, min, s, f, zone) => {
    const [year = 0, month = 0, day = 0] = [y, m, d].map((v) => indexOf(v));
    const [hour = 0, minute = 0, second = 0, micro = 0] = [h, min, s, f].map((v) =>
      v === undefined ? 0 : indexOf(v),
    );
    const ordinal = ordinalOf(checked(year, month, day));
    return new Moment(ordinal, microOf(hour, minute, second, micro), zoneOf(zone));
  },
);
dateClass.create = (cls, args, kwargs) =>
  (cls === dateClass ? makeDate : makeDatetime).call(args, kwargs);
datetimeClass.create = dateClass.create;
timezoneClass.create = (_cls, [delta, name]) => {
  if (!(delta instanceof TimeDelta))
    return raise('TypeError', 'timezone() argument 1 must be datetime.timedelta');
  return Math.abs(delta.total) >= 86400
    ? raise('ValueError', 'offset must be strictly between -24 and 24 hours')
    : zoneNamed(delta.total, name);
};
timezoneClass.dict.set('utc', utc);
timezoneClass.dict.set('min', new TimeZone(-86_340));
timezoneClass.dict.set('max', new TimeZone(86_340));
defineMethods(timezoneClass, isZone, {
  'utcoffset(dt, /)': (self) => new TimeDelta(0, self.offset * 1e6),
  'tzname(dt, /)': (self) => self.str(),
  'dst(dt, /)': () => null,
});

defineClassMethod(dateClass, 'today()', (cls) =>
  cls === datetimeClass ? at(now(), undefined) : new Moment(instantOf(now()).ordinal),
);
defineClassMethod(dateClass, 'fromisoformat(string, /)', (cls, v: Value) =>
  fromIso(v, cls !== datetimeClass),
);
defineClassMethod(dateClass, 'fromtimestamp(timestamp, tz=)', (cls, v: Value, zone) => {
  const made = stamped(v, zoneOf(zone));
  return cls === datetimeClass ? made : new Moment(made.ordinal);
});
defineClassMethod(dateClass, 'fromordinal(ordinal, /)', (cls, v: Value) => {
  const ordinal = indexOf(v);
  if (ordinal < 1) raise('ValueError', 'ordinal must be >= 1');
  if (ordinal > MAX_ORDINAL) raise('ValueError', 'year is out of range');
  return new Moment(ordinal, cls === datetimeClass ? 0 : undefined);
});
defineClassMethod(
  dateClass,
  'fromisocalendar(year, week, day)',
  (cls, y: Value, w: Value, d: Value) => {
    const [year, week, day] = [indexOf(y), indexOf(w), indexOf(d)];
    if (year < 1 || year > MAX_YEAR) raise('ValueError', `Year is out of range: ${year}`);
    const first = ordinalOf({ year, month: 1, day: 4 });
    const monday = first - weekdayOf(first);
    const ordinal = monday + (week - 1) * 7 + day - 1;
    if (week < 1 || week > 53 || (week === 53 && isoWeekOf(monday + 52 * 7)[0] !== year))
      raise('ValueError', `Invalid week: ${week}`);
    if (day < 1 || day > 7) raise('ValueError', `Invalid day: ${day} (range is [1, 7])`);
    return new Moment(ordinal, cls === datetimeClass ? 0 : undefined);
  },
);
defineClassMethod(
  datetimeClass,
  'combine(date, time, tzinfo=)',
  (_cls, date: Value, time: Value, zone) => {
    if (!(date instanceof Moment))
      return raise(
        'TypeError',
        `combine() argument 1 must be datetime.date, not ${typeName(date)}`,
      );
    if (!(time instanceof TimeOfDay))
      return raise(
        'TypeError',
        `combine() argument 2 must be datetime.time, not ${typeName(time)}`,
      );
    return new Moment(date.ordinal, time.micro, zone === undefined ? time.zone : zoneOf(zone));
  },
);
defineClassMethod(datetimeClass, 'now(tz=)', (_cls, zone) => at(now(), zoneOf(zone)));
defineClassMethod(datetimeClass, 'utcnow()', () => at(now(), undefined));
defineClassMethod(datetimeClass, 'utcfromtimestamp(timestamp, /)', (_cls, v: Value) =>
  stamped(v, undefined),
);
defineClassMethod(datetimeClass, 'strptime(string, format, /)', (_cls, v: Value, format: Value) => {
  const { ordinal, micro, offset } = strptime(isoText(v), isoText(format));
  return new Moment(ordinal, micro, offset === undefined ? undefined : new TimeZone(offset));
});

const structTime = tupleClass(
  'struct_time',
  'time',
  'tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst'.split(' '),
);
const isoCalendar = tupleClass('IsoCalendarDate', 'datetime', ['year', 'week', 'weekday']);
defineGetters(dateClass, isMoment, {
  year: (self) => self.day.year,
  month: (self) => self.day.month,
  day: (self) => self.day.day,
});
defineMethods(dateClass, isMoment, {
  'weekday()': (self) => weekdayOf(self.ordinal),
  'isoweekday()': (self) => weekdayOf(self.ordinal) + 1,
  'isocalendar()': (self) => isoCalendar.make([...isoWeekOf(self.ordinal)]),
  'timetuple()': (self) => structTime.make(timeTuple(self)),
  'ctime()': (self) =>
    strftime(self.point, '%a %b %e %T ') + strftime(self.point, '%Y').padStart(4, '0'),
  'toordinal()': (self) => self.ordinal,
  'strftime(format)': (self, format: Value) => strftime(self.point, isoText(format)),
  'isoformat()': (self) => self.iso('T'),
  'replace(year=, month=, day=)': (self, y, m, d) =>
    new Moment(
      ordinalOf(checked(or(y, self.day.year), or(m, self.day.month), or(d, self.day.day))),
    ),
});
defineGetters(datetimeClass, isDatetime, {
  hour: (self) => self.time(3.6e9, 24),
  minute: (self) => self.time(6e7, 60),
  second: (self) => self.time(1e6, 60),
  microsecond: (self) => self.time(1, 1e6),
  tzinfo: (self) => self.zone ?? null,
});
defineMethods(datetimeClass, isDatetime, {
  'date()': (self) => new Moment(self.ordinal),
  'time()': (self) => new TimeOfDay(self.micro ?? 0, undefined),
  'timetz()': (self) => new TimeOfDay(self.micro ?? 0, self.zone),
  'tzname()': (self) => self.zone?.str() ?? null,
  'dst()': () => null,
  'isoformat(sep=, timespec=)': (self, separator, spec) =>
    self.iso(
      separator === undefined ? 'T' : isoText(separator),
      spec === undefined ? 'auto' : isoText(spec),
    ),
  'timestamp()': (self) => {
    refuseFirstDay(self);
    return float(secondsOf(self));
  },
  'utcoffset()': (self) =>
    self.zone === undefined ? null : new TimeDelta(0, self.zone.offset * 1e6),
  'astimezone(tz=)': (self, zone) => {
    refuseFirstDay(self);
    return moved(self, zoneOf(zone) ?? utc);
  },
  'replace(year=, month=, day=, hour=, minute=, second=, microsecond=, tzinfo=)': (
    self,
    y,
    m,
    d,
    h,
    min,
    s,
    f,
    zone,
  ) => {
    const [hour = 0, minute = 0, second = 0, micro = 0] = self.parts;
    const ordinal = ordinalOf(
      checked(or(y, self.day.year), or(m, self.day.month), or(d, self.day.day)),
    );
    return new Moment(
      ordinal,
      microOf(or(h, hour), or(min, minute), or(s, second), or(f, micro)),
      zone === undefined ? self.zone : zoneOf(zone),
    );
  },
});

for (const cls of [dateClass, datetimeClass]) {
  const part = cls === dateClass ? undefined : 0;
  cls.dict.set('min', new Moment(1, part));
  cls.dict.set('max', new Moment(MAX_ORDINAL, part === undefined ? undefined : DAY_MICROS - 1));
  cls.dict.set('resolution', new TimeDelta(part === undefined ? 1 : 0, part === undefined ? 0 : 1));
}

/** The module `datetime`: naive times are UTC. */
export const datetime: PyModule = moduleOf('datetime', {
  date: dateClass,
  datetime: datetimeClass,
  time: timeClass,
  tzinfo: tzinfoClass,
  timedelta,
  timezone: timezoneClass,
  UTC: utc,
  MINYEAR: 1,
  MAXYEAR: MAX_YEAR,
});

function zoneNamed(offset: number, name: Value | undefined): TimeZone {
  if (name === undefined) return offset === 0 ? utc : new TimeZone(offset);
  return typeof name === 'string'
    ? new TimeZone(offset, name)
    : raise('TypeError', `timezone() argument 2 must be str, not ${typeName(name)}`);
}

function isZone(v: Value): v is TimeZone {
  return v instanceof TimeZone;
}

/** A datetime of an instant, in a zone or (naive) in UTC. */
function at(ms: number, zone: TimeZone | undefined): Moment {
  const { ordinal, micro } = instantOf(ms + (zone?.offset ?? 0) * 1000);
  return new Moment(ordinal, micro, zone);
}

/**
 * The same of a timestamp in seconds, rounded half to even on microseconds.
 * @throws ValueError, OverflowError
 */
function stamped(v: Value, zone: TimeZone | undefined): Moment {
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
  return new Moment(ordinal + carry, local - carry * DAY_MICROS, zone);
}

/** A fraction of a second in microseconds, half to even. */
function scaledMicros(fraction: number): bigint {
  return scaled(fraction, 6);
}

function isMoment(v: Value): v is Moment {
  return v instanceof Moment;
}

function timeTuple(self: Moment): Value[] {
  const { year, month, day } = self.day;
  const [h = 0, m = 0, s = 0] = self.parts;
  const yearDay = self.ordinal - ordinalOf({ year, month: 1, day: 1 }) + 1;
  return [year, month, day, h, m, s, weekdayOf(self.ordinal), yearDay, -1];
}

function or(v: Value | undefined, old: number): number {
  return v === undefined ? old : indexOf(v);
}

function isDatetime(v: Value): v is Moment {
  return v instanceof Moment && v.micro !== undefined;
}

/** Seconds since 1970 as a float, its integer and fraction added once. */
function secondsOf(self: Moment): number {
  const [ordinal, micro] = self.instant;
  const micros = BigInt(ordinal - 719_163) * BigInt(DAY_MICROS) + BigInt(micro);
  return toDouble(binary('/', integer(micros), 1_000_000));
}

/**
 * CPython looks a day back for the local time of a naive one.
 * @throws ValueError on the first day of all
 */
function refuseFirstDay(self: Moment): void {
  if (self.zone === undefined && self.ordinal === 1) raise('ValueError', 'year 0 is out of range');
}

/** The same instant in another zone; a naive one counts as UTC. */
function moved(self: Moment, zone: TimeZone): Moment {
  const [ordinal, micro] = self.instant;
  const local = micro + zone.offset * 1e6;
  const carry = Math.floor(local / DAY_MICROS);
  return new Moment(ordinal + carry, local - carry * DAY_MICROS, zone);
}
