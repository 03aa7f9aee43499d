import { secondsOf, refuseFirstDay, inZone } from './instants.ts';
import { defineGetters, defineMethods } from '../../objects/classes/native.ts';
import { float } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts';
import { PyDate, dateClass, datetimeClass, utc } from './date.ts';
import { isoText } from './iso.ts';
import { checked, microOf, replacedField, zoneOf } from './fields.ts';
import { tupleClass } from '../namedtuple.ts';
import { strftime } from './strftime.ts';
import { TimeDelta } from './timedelta.ts';
import { TimeOfDay } from './time-of-day.ts';

const structTime = tupleClass(
  'struct_time',
  'time',
  'tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst'.split(' '),
);
const isoCalendar = tupleClass('IsoCalendarDate', 'datetime', ['year', 'week', 'weekday']);
defineGetters(dateClass, PyDate, {
  year: (self) => self.day.year,
  month: (self) => self.day.month,
  day: (self) => self.day.day,
});
defineMethods(dateClass, PyDate, {
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
    new PyDate(
      ordinalOf(
        checked(
          replacedField(y, self.day.year),
          replacedField(m, self.day.month),
          replacedField(d, self.day.day),
        ),
      ),
    ),
});
defineGetters(
  datetimeClass,
  { is: isDatetime },
  {
    hour: (self) => self.time(3.6e9, 24),
    minute: (self) => self.time(6e7, 60),
    second: (self) => self.time(1e6, 60),
    microsecond: (self) => self.time(1, 1e6),
    tzinfo: (self) => self.zone ?? null,
  },
);
defineMethods(
  datetimeClass,
  { is: isDatetime },
  {
    'date()': (self) => new PyDate(self.ordinal),
    'time()': (self) => new TimeOfDay(self.micro ?? 0, undefined),
    'timetz()': (self) => new TimeOfDay(self.micro ?? 0, self.zone),
    'tzname()': (self) => self.zone?.str() ?? null,
    'dst()': () => null,
    'isoformat(sep=, timespec=)': (self, separator = 'T', spec = 'auto') =>
      self.iso(isoText(separator), isoText(spec)),
    'timestamp()': (self) => {
      refuseFirstDay(self);
      return float(secondsOf(self));
    },
    'utcoffset()': (self) =>
      self.zone === undefined ? null : new TimeDelta(0, self.zone.offset * 1e6),
    'astimezone(tz=)': (self, zone) => {
      refuseFirstDay(self);
      return inZone(self, zoneOf(zone) ?? utc);
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
        checked(
          replacedField(y, self.day.year),
          replacedField(m, self.day.month),
          replacedField(d, self.day.day),
        ),
      );
      return new PyDate(
        ordinal,
        microOf(
          replacedField(h, hour),
          replacedField(min, minute),
          replacedField(s, second),
          replacedField(f, micro),
        ),
        zone === undefined ? self.zone : zoneOf(zone),
      );
    },
  },
);

function timeTuple(self: PyDate): Value[] {
  const { year, month, day } = self.day;
  const [h = 0, m = 0, s = 0] = self.parts;
  const yearDay = self.ordinal - ordinalOf({ year, month: 1, day: 1 }) + 1;
  return [year, month, day, h, m, s, weekdayOf(self.ordinal), yearDay, -1];
}

function isDatetime(v: Value): v is PyDate {
  return v instanceof PyDate && v.micro !== undefined;
}
