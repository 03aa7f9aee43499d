import { now, datetimeAt, fromTimestamp } from './instants.ts';
import { raise } from '../../errors.ts';
import { moduleOf } from '../../objects/classes/module.ts';
import type { PyModule } from '../../objects/classes/module.ts';
import { defineClassMethod, defineMethods, nativeFunction } from '../../objects/classes/native.ts';
import { indexOf } from '../../objects/numbers/number.ts';
import { typeName } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { MAX_ORDINAL, MAX_YEAR, instantOf, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';
import {
  PyDate,
  TimeZone,
  dateClass,
  datetimeClass,
  timezoneClass,
  tzinfoClass,
  utc,
} from './date.ts';
import { fromIso, isoText } from './iso.ts';
import { checked, microOf, zoneOf } from './fields.ts';
import { strptime } from './strptime.ts';
import { DAY_MICROS, TimeDelta, timedelta } from './timedelta.ts';
import { TimeOfDay, timeClass } from './time-of-day.ts';
import './methods.ts';

const makeDate = nativeFunction(
  'date(year, month, day)',
  (y: Value, m: Value, d: Value) =>
    new PyDate(ordinalOf(checked(indexOf(y), indexOf(m), indexOf(d)))),
);
const makeDatetime = nativeFunction(
  'datetime(year, month, day, hour=, minute=, second=, microsecond=, tzinfo=, *, fold=)',
  (y: Value, m: Value, d: Value, h, min, s, f, zone) => {
    const [year = 0, month = 0, day = 0] = [y, m, d].map((v) => indexOf(v));
    const [hour = 0, minute = 0, second = 0, micro = 0] = [h, min, s, f].map((v = 0) => indexOf(v));
    const ordinal = ordinalOf(checked(year, month, day));
    return new PyDate(ordinal, microOf(hour, minute, second, micro), zoneOf(zone));
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
defineMethods(timezoneClass, TimeZone, {
  'utcoffset(dt, /)': (self) => new TimeDelta(0, self.offset * 1e6),
  'tzname(dt, /)': (self) => self.str(),
  'dst(dt, /)': () => null,
});

defineClassMethod(dateClass, 'today()', (cls) =>
  cls === datetimeClass ? datetimeAt(now(), undefined) : new PyDate(instantOf(now()).ordinal),
);
defineClassMethod(dateClass, 'fromisoformat(string, /)', (cls, v: Value) =>
  fromIso(v, cls !== datetimeClass),
);
defineClassMethod(dateClass, 'fromtimestamp(timestamp, tz=)', (cls, v: Value, zone) => {
  const made = fromTimestamp(v, zoneOf(zone));
  return cls === datetimeClass ? made : new PyDate(made.ordinal);
});
defineClassMethod(dateClass, 'fromordinal(ordinal, /)', (cls, v: Value) => {
  const ordinal = indexOf(v);
  if (ordinal < 1) raise('ValueError', 'ordinal must be >= 1');
  if (ordinal > MAX_ORDINAL) raise('ValueError', 'year is out of range');
  return new PyDate(ordinal, cls === datetimeClass ? 0 : undefined);
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
    return new PyDate(ordinal, cls === datetimeClass ? 0 : undefined);
  },
);
defineClassMethod(
  datetimeClass,
  'combine(date, time, tzinfo=)',
  (_cls, date: Value, time: Value, zone) => {
    if (!(date instanceof PyDate))
      return raise(
        'TypeError',
        `combine() argument 1 must be datetime.date, not ${typeName(date)}`,
      );
    if (!(time instanceof TimeOfDay))
      return raise(
        'TypeError',
        `combine() argument 2 must be datetime.time, not ${typeName(time)}`,
      );
    return new PyDate(date.ordinal, time.micro, zone === undefined ? time.zone : zoneOf(zone));
  },
);
defineClassMethod(datetimeClass, 'now(tz=)', (_cls, zone) => datetimeAt(now(), zoneOf(zone)));
defineClassMethod(datetimeClass, 'utcnow()', () => datetimeAt(now(), undefined));
defineClassMethod(datetimeClass, 'utcfromtimestamp(timestamp, /)', (_cls, v: Value) =>
  fromTimestamp(v, undefined),
);
defineClassMethod(datetimeClass, 'strptime(string, format, /)', (_cls, v: Value, format: Value) => {
  const { ordinal, micro, offset } = strptime(isoText(v), isoText(format));
  return new PyDate(ordinal, micro, offset === undefined ? undefined : new TimeZone(offset));
});

for (const cls of [dateClass, datetimeClass]) {
  const part = cls === dateClass ? undefined : 0;
  cls.dict.set('min', new PyDate(1, part));
  cls.dict.set('max', new PyDate(MAX_ORDINAL, part === undefined ? undefined : DAY_MICROS - 1));
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
