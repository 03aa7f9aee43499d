import { raise } from '../../errors.ts';
import { orderOf } from '../../objects/compare.ts';
import { COMPOUND } from '../../objects/key.ts';
import {
  defineClassMethod,
  defineGetters,
  defineMethods,
  nativeFunction,
} from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Key, OrderOp, Value } from '../../objects/object.ts';
import { microOf, replacedField, zoneOf } from './fields.ts';
import { clockOf, isoText } from './iso.ts';
import { clockText } from './date.ts';
import type { TimeZone } from './date.ts';
import { offsetText, strftime } from './strftime.ts';
import { DAY_MICROS, TimeDelta } from './timedelta.ts';

/** The class `datetime.time`. */
export const timeClass: PyClass = new PyClass('time', [types.object], { module: 'datetime' });

/** A time of day: its microseconds, and its zone if any. */
export class TimeOfDay extends PyObject {
  readonly micro: number;
  readonly zone: TimeZone | undefined;

  constructor(micro: number, zone: TimeZone | undefined) {
    super();
    this.micro = micro;
    this.zone = zone;
  }
  get cls(): PyClass {
    return timeClass;
  }
  part(size: number, of: number): number {
    return Math.floor(this.micro / size) % of;
  }
  get parts(): number[] {
    return [this.part(3.6e9, 24), this.part(6e7, 60), this.part(1e6, 60), this.part(1, 1e6)];
  }
  override repr(): string {
    const [h = 0, m = 0, s = 0, f = 0] = this.parts;
    const shown = f > 0 ? [h, m, s, f] : s > 0 ? [h, m, s] : [h, m];
    const zone = this.zone === undefined ? [] : [`tzinfo=${this.zone.repr()}`];
    return `datetime.time(${[...shown, ...zone].join(', ')})`;
  }
  override str(): string {
    return this.iso('auto');
  }
  iso(spec: string): string {
    return (
      clockText(this.micro, spec) +
      (this.zone === undefined ? '' : offsetText(this.zone.offset, ':'))
    );
  }
  strftime(format: string): string {
    return strftime(
      { ordinal: 693_596, micro: this.micro, offset: this.zone?.offset, zone: this.zone?.str() },
      format,
    );
  }
  override format(spec: string): string {
    return spec === '' ? this.str() : this.strftime(spec);
  }
  /** Microseconds of the day in UTC; without a zone, of the time itself. */
  get instant(): number {
    return this.micro - (this.zone?.offset ?? 0) * 1e6;
  }
  override key(): Key {
    return `${COMPOUND}c${((this.instant % DAY_MICROS) + DAY_MICROS) % DAY_MICROS}`;
  }
  override equals(other: Value): Value | undefined {
    if (!(other instanceof TimeOfDay)) return undefined;
    return (
      (this.zone === undefined) === (other.zone === undefined) && this.instant === other.instant
    );
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof TimeOfDay)) return undefined;
    if ((this.zone === undefined) !== (other.zone === undefined))
      raise('TypeError', "can't compare offset-naive and offset-aware times");
    return orderOf(op, this.instant, other.instant);
  }
}

const make = nativeFunction(
  'time(hour=, minute=, second=, microsecond=, tzinfo=, *, fold=)',
  (h, m, s, f, zone) =>
    new TimeOfDay(
      microOf(replacedField(h, 0), replacedField(m, 0), replacedField(s, 0), replacedField(f, 0)),
      zoneOf(zone),
    ),
);
timeClass.create = (_cls, args, kwargs) => make.call(args, kwargs);
defineGetters(timeClass, TimeOfDay, {
  hour: (self) => self.part(3.6e9, 24),
  minute: (self) => self.part(6e7, 60),
  second: (self) => self.part(1e6, 60),
  microsecond: (self) => self.part(1, 1e6),
  tzinfo: (self) => self.zone ?? null,
  fold: () => 0,
});
defineMethods(timeClass, TimeOfDay, {
  'isoformat(timespec=)': (self, spec = 'auto') => self.iso(isoText(spec)),
  'strftime(format)': (self, format: Value) => self.strftime(isoText(format)),
  'utcoffset()': (self) =>
    self.zone === undefined ? null : new TimeDelta(0, self.zone.offset * 1e6),
  'tzname()': (self) => self.zone?.str() ?? null,
  'dst()': () => null,
  'replace(hour=, minute=, second=, microsecond=, tzinfo=)': (self, h, m, s, f, zone) => {
    const [hour = 0, minute = 0, second = 0, micro = 0] = self.parts;
    const at = microOf(
      replacedField(h, hour),
      replacedField(m, minute),
      replacedField(s, second),
      replacedField(f, micro),
    );
    return new TimeOfDay(at, zone === undefined ? self.zone : zoneOf(zone));
  },
});
defineClassMethod(timeClass, 'fromisoformat(string, /)', (_cls, v: Value) => {
  const { micro, zone } = clockOf(isoText(v).replace(/^T/, ''), isoText(v));
  return new TimeOfDay(micro, zone);
});
timeClass.dict.set('min', new TimeOfDay(0, undefined));
timeClass.dict.set('max', new TimeOfDay(DAY_MICROS - 1, undefined));
timeClass.dict.set('resolution', new TimeDelta(0, 1));
