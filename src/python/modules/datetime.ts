import { raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { moduleOf } from '../objects/module.ts';
import type { PyModule } from '../objects/module.ts';
import { defineClassMethod, defineGetters, defineMethods, nativeFunction } from '../objects/native.ts';
import { float, indexOf, toDouble } from '../objects/number.ts';
import { PyClass, PyObject, typeName, types } from '../objects/object.ts';
import type { BinaryOp, Key, OrderOp, Value } from '../objects/object.ts';
import { COMPOUND } from '../objects/key.ts';
import { orderOf } from '../objects/compare.ts';
import { PyTuple } from '../objects/tuple.ts';
import { MAX_YEAR, dayOf, daysIn, instantOf, isoWeekOf, millisOf, ordinalOf, weekdayOf } from './calendar.ts';
import type { Day } from './calendar.ts';
import { offsetText, parseOffset, strftime, strptime } from './strftime.ts';
import { DAY_MICROS, TimeDelta, timedelta } from './timedelta.ts';

const dateClass = new PyClass('date', [types.object], { module: 'datetime' });
const datetimeClass = new PyClass('datetime', [dateClass], { module: 'datetime' });
const timezoneClass = new PyClass('timezone', [types.object], { module: 'datetime' });

/** The time of the evaluation, in milliseconds since 1970 UTC. Rules see UTC as their local time. */
export function now(): number {
  return frame.now === undefined ? raise('NotImplementedError', 'this evaluation was given no clock') : frame.now();
}

/** A fixed offset from UTC in seconds. */
class TimeZone extends PyObject {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
  get cls(): PyClass {
    return timezoneClass;
  }
  override repr(): string {
    return this.offset === 0
      ? 'datetime.timezone.utc'
      : `datetime.timezone(${new TimeDelta(0, this.offset * 1e6).repr()})`;
  }
  override str(): string {
    return this.offset === 0 ? 'UTC' : `UTC${offsetText(this.offset, ':')}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof TimeZone ? other.offset === this.offset : undefined;
  }
}
const utc = new TimeZone(0);

/** A date; with `micro` (of its day) a datetime. */
class Moment extends PyObject {
  readonly ordinal: number;
  readonly micro: number | undefined;
  readonly zone: TimeZone | undefined;

  constructor(ordinal: number, micro?: number, zone?: TimeZone) {
    super();
    if (ordinal < 1 || ordinal > 3_652_059) raise('OverflowError', 'date value out of range');
    this.ordinal = ordinal;
    this.micro = micro;
    this.zone = zone;
  }
  get cls(): PyClass {
    return this.micro === undefined ? dateClass : datetimeClass;
  }
  get day(): Day {
    return dayOf(this.ordinal);
  }
  /** Part of the time of day. */
  time(size: number, of: number): number {
    return Math.floor((this.micro ?? 0) / size) % of;
  }
  get parts(): number[] {
    return [this.time(3.6e9, 24), this.time(6e7, 60), this.time(1e6, 60), this.time(1, 1e6)];
  }
  /** Microseconds since the year 1 in UTC, in two exact parts. */
  get instant(): readonly [number, number] {
    const micro = (this.micro ?? 0) - (this.zone?.offset ?? 0) * 1e6;
    const carry = Math.floor(micro / DAY_MICROS);
    return [this.ordinal + carry, micro - carry * DAY_MICROS];
  }
  override repr(): string {
    const { year, month, day } = this.day;
    if (this.micro === undefined) return `datetime.date(${year}, ${month}, ${day})`;
    const [h = 0, m = 0, s = 0, f = 0] = this.parts;
    const tail = f > 0 ? [h, m, s, f] : s > 0 ? [h, m, s] : [h, m];
    const zone = this.zone === undefined ? [] : [`tzinfo=${this.zone.repr()}`];
    return `datetime.datetime(${[year, month, day, ...tail, ...zone].join(', ')})`;
  }
  override str(): string {
    return this.iso(' ');
  }
  iso(separator: string): string {
    const offset = this.zone?.offset;
    const point = { ordinal: this.ordinal, micro: this.micro ?? 0, offset };
    const date = strftime(point, '%F');
    if (this.micro === undefined) return date;
    return (
      date +
      separator +
      strftime(point, this.micro % 1e6 === 0 ? '%T' : '%T.%f') +
      (offset === undefined ? '' : offsetText(offset, ':'))
    );
  }
  override format(spec: string): string {
    return spec === ''
      ? this.str()
      : strftime({ ordinal: this.ordinal, micro: this.micro ?? 0, offset: this.zone?.offset }, spec);
  }
  override key(): Key {
    return `${COMPOUND}m${this.instant.join(';')};${this.cls.name}`;
  }
  #comparable(other: Value): other is Moment {
    return other instanceof Moment && (this.micro === undefined) === (other.micro === undefined);
  }
  override equals(other: Value): Value | undefined {
    if (!this.#comparable(other)) return undefined;
    const [a, b] = [this.instant, other.instant];
    return (this.zone === undefined) === (other.zone === undefined) && a[0] === b[0] && a[1] === b[1];
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!this.#comparable(other))
      return other instanceof Moment
        ? raise('TypeError', `can't compare ${this.cls.label} to ${other.cls.label}`)
        : undefined;
    if ((this.zone === undefined) !== (other.zone === undefined))
      raise('TypeError', "can't compare offset-naive and offset-aware datetimes");
    const [a, b] = [this.instant, other.instant];
    return a[0] === b[0] ? orderOf(op, a[1], b[1]) : orderOf(op, a[0], b[0]);
  }
  moved(by: TimeDelta, sign: 1 | -1): Moment {
    if (this.micro === undefined) return new Moment(this.ordinal + sign * by.days);
    const micro = this.micro + sign * by.micro;
    const carry = Math.floor(micro / DAY_MICROS);
    return new Moment(this.ordinal + sign * by.days + carry, micro - carry * DAY_MICROS, this.zone);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (right instanceof TimeDelta && (op === '+' || op === '-')) return this.moved(right, op === '+' ? 1 : -1);
    if (op !== '-' || !this.#comparable(right)) return undefined;
    if ((this.zone === undefined) !== (right.zone === undefined))
      raise('TypeError', "can't subtract offset-naive and offset-aware datetimes");
    return new TimeDelta(this.instant[0] - right.instant[0], this.instant[1] - right.instant[1]);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '+' ? this.binary(op, left) : undefined;
  }
}

function checked(year: number, month: number, day: number): Day {
  if (year < 1 || year > MAX_YEAR) raise('ValueError', `year ${year} is out of range`);
  if (month < 1 || month > 12) raise('ValueError', 'month must be in 1..12');
  if (day < 1 || day > daysIn(year, month)) raise('ValueError', 'day is out of range for month');
  return { year, month, day };
}

function microOf(h: number, m: number, s: number, f: number): number {
  if (h < 0 || h > 23) raise('ValueError', 'hour must be in 0..23');
  if (m < 0 || m > 59) raise('ValueError', 'minute must be in 0..59');
  if (s < 0 || s > 59) raise('ValueError', 'second must be in 0..59');
  if (f < 0 || f > 999_999) raise('ValueError', 'microsecond must be in 0..999999');
  return (h * 3600 + m * 60 + s) * 1e6 + f;
}

function zoneOf(v: Value | undefined): TimeZone | undefined {
  if (v === undefined || v === null || v instanceof TimeZone) return v ?? undefined;
  return raise('TypeError', `tzinfo argument must be None or of a tzinfo subclass, not type '${typeName(v)}'`);
}

const makeDate = nativeFunction(
  'date(year, month, day)',
  (y: Value, m: Value, d: Value) => new Moment(ordinalOf(checked(indexOf(y), indexOf(m), indexOf(d)))),
);
const makeDatetime = nativeFunction(
  'datetime(year, month, day, hour=, minute=, second=, microsecond=, tzinfo=, *, fold=)',
  (y: Value, m: Value, d: Value, h, min, s, f, zone) =>
    new Moment(
      ordinalOf(checked(indexOf(y), indexOf(m), indexOf(d))),
      microOf(indexOf(h ?? 0), indexOf(min ?? 0), indexOf(s ?? 0), indexOf(f ?? 0)),
      zoneOf(zone),
    ),
);
dateClass.create = (cls, args, kwargs) => (cls === dateClass ? makeDate : makeDatetime).call(args, kwargs);
datetimeClass.create = dateClass.create;
timezoneClass.create = (_cls, [delta]) => {
  if (!(delta instanceof TimeDelta)) return raise('TypeError', 'timezone() argument 1 must be datetime.timedelta');
  return Math.abs(delta.total) >= 86400
    ? raise('ValueError', 'offset must be strictly between -24 and 24 hours')
    : new TimeZone(delta.total);
};
timezoneClass.dict.set('utc', utc);

/** A datetime of an instant, in a zone or (naive) in UTC. */
function at(ms: number, zone: TimeZone | undefined): Moment {
  const { ordinal, micro } = instantOf(ms + (zone?.offset ?? 0) * 1000);
  return new Moment(ordinal, micro, zone);
}

const text = (v: Value | undefined): string =>
  typeof v === 'string' ? v : raise('TypeError', `must be str, not ${typeName(v ?? null)}`);
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:.(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(Z|[+-]\d\d:\d\d(?::\d\d)?)?)?$/s;

function fromIso(v: Value | undefined, isDate: boolean): Moment {
  const [whole, y, m, d, h, min = '0', s = '0', f = '', zone] = ISO.exec(text(v)) ?? [];
  if (whole === undefined || (isDate && h !== undefined)) raise('ValueError', `Invalid isoformat string: '${text(v)}'`);
  const ordinal = ordinalOf(checked(Number(y), Number(m), Number(d)));
  if (isDate) return new Moment(ordinal);
  const offset = parseOffset(zone);
  return new Moment(
    ordinal,
    microOf(Number(h ?? 0), Number(min), Number(s), Number(f.padEnd(6, '0'))),
    offset === undefined ? undefined : new TimeZone(offset),
  );
}

defineClassMethod(dateClass, 'today()', (cls) =>
  cls === datetimeClass ? at(now(), undefined) : new Moment(instantOf(now()).ordinal),
);
defineClassMethod(dateClass, 'fromisoformat(string, /)', (cls, v: Value) => fromIso(v, cls !== datetimeClass));
defineClassMethod(dateClass, 'fromtimestamp(timestamp, tz=)', (cls, v: Value, zone) => {
  const made = at(toDouble(v) * 1000, zoneOf(zone));
  return cls === datetimeClass ? made : new Moment(made.ordinal);
});
defineClassMethod(dateClass, 'fromordinal(ordinal, /)', (_cls, v: Value) => new Moment(indexOf(v)));
defineClassMethod(datetimeClass, 'now(tz=)', (_cls, zone) => at(now(), zoneOf(zone)));
defineClassMethod(datetimeClass, 'utcnow()', () => at(now(), undefined));
defineClassMethod(datetimeClass, 'utcfromtimestamp(timestamp, /)', (_cls, v: Value) =>
  at(toDouble(v) * 1000, undefined),
);
defineClassMethod(datetimeClass, 'strptime(string, format, /)', (_cls, v: Value, format: Value) => {
  const { ordinal, micro, offset } = strptime(text(v), text(format));
  return new Moment(ordinal, micro, offset === undefined ? undefined : new TimeZone(offset));
});

const isMoment = (v: Value): v is Moment => v instanceof Moment;
const isDatetime = (v: Value): v is Moment => v instanceof Moment && v.micro !== undefined;
const or = (v: Value | undefined, old: number): number => (v === undefined ? old : indexOf(v));
defineGetters(dateClass, isMoment, {
  year: (self) => self.day.year,
  month: (self) => self.day.month,
  day: (self) => self.day.day,
});
defineMethods(dateClass, isMoment, {
  'weekday()': (self) => weekdayOf(self.ordinal),
  'isoweekday()': (self) => weekdayOf(self.ordinal) + 1,
  'isocalendar()': (self) => new PyTuple([...isoWeekOf(self.ordinal)]),
  'toordinal()': (self) => self.ordinal,
  'strftime(format)': (self, format: Value) =>
    strftime({ ordinal: self.ordinal, micro: self.micro ?? 0, offset: self.zone?.offset }, text(format)),
  'isoformat(sep=)': (self, separator) => self.iso(separator === undefined ? 'T' : text(separator)),
  'replace(year=, month=, day=)': (self, y, m, d) =>
    new Moment(ordinalOf(checked(or(y, self.day.year), or(m, self.day.month), or(d, self.day.day)))),
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
  'timestamp()': (self) => float(millisOf(...self.instant) / 1000),
  'utcoffset()': (self) => (self.zone === undefined ? null : new TimeDelta(0, self.zone.offset * 1e6)),
  'astimezone(tz=)': (self, zone) => at(millisOf(...self.instant), zoneOf(zone) ?? utc),
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
    const ordinal = ordinalOf(checked(or(y, self.day.year), or(m, self.day.month), or(d, self.day.day)));
    return new Moment(
      ordinal,
      microOf(or(h, hour), or(min, minute), or(s, second), or(f, micro)),
      zone === undefined ? self.zone : zoneOf(zone),
    );
  },
});

/** The module `datetime`: naive times are UTC. */
export const datetime: PyModule = moduleOf('datetime', {
  date: dateClass,
  datetime: datetimeClass,
  timedelta,
  timezone: timezoneClass,
  UTC: utc,
  MINYEAR: 1,
  MAXYEAR: MAX_YEAR,
});
