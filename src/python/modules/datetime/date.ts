import { raise } from '../../errors.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, Value } from '../../objects/object.ts';
import { COMPOUND } from '../../objects/key.ts';
import { orderOf } from '../../objects/compare.ts';
import { dayOf } from './calendar.ts';
import type { Day } from './calendar.ts';
import { repr } from '../../text/repr.ts';
import { isoDate, offsetText, strftime } from './strftime.ts';
import { DAY_MICROS, TimeDelta } from './timedelta.ts';

export const dateClass = new PyClass('date', [types.object], { module: 'datetime' });
export const datetimeClass = new PyClass('datetime', [dateClass], { module: 'datetime' });
export const tzinfoClass = new PyClass('tzinfo', [types.object], { module: 'datetime' });
export const timezoneClass = new PyClass('timezone', [tzinfoClass], { module: 'datetime' });

/** A fixed offset from UTC in seconds. */
export class TimeZone extends PyObject {
  readonly offset: number;
  readonly name: string | undefined;

  constructor(offset: number, name?: string) {
    super();
    this.offset = offset;
    this.name = name;
  }
  get cls(): PyClass {
    return timezoneClass;
  }
  override repr(): string {
    if (this.offset === 0 && this.name === undefined) return 'datetime.timezone.utc';
    const name = this.name === undefined ? '' : `, ${repr(this.name)}`;
    return `datetime.timezone(${new TimeDelta(0, this.offset * 1e6).repr()}${name})`;
  }
  override str(): string {
    return this.name ?? (this.offset === 0 ? 'UTC' : `UTC${offsetText(this.offset, ':')}`);
  }
  override key(): Key {
    return `${COMPOUND}z${this.offset}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof TimeZone && other.cls === this.cls
      ? other.offset === this.offset
      : undefined;
  }
}
export const utc = new TimeZone(0);

/** A date; with `micro`, the microseconds of its day, a datetime. */
export class PyDate extends PyObject {
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
  /** One field of the time of day. */
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
  /** The input of `strftime`. */
  get point(): Parameters<typeof strftime>[0] {
    return {
      ordinal: this.ordinal,
      micro: this.micro ?? 0,
      offset: this.zone?.offset,
      zone: this.zone?.str(),
    };
  }
  iso(separator: string, spec = 'auto'): string {
    const date = isoDate(this.ordinal);
    if (this.micro === undefined) return date;
    const offset = this.zone === undefined ? '' : offsetText(this.zone.offset, ':');
    return date + separator + clockText(this.micro, spec) + offset;
  }
  override format(spec: string): string {
    return spec === '' ? this.str() : strftime(this.point, spec);
  }
  override key(): Key {
    return `${COMPOUND}m${this.instant.join(';')};${this.cls.name}`;
  }
  #comparable(other: Value): other is PyDate {
    return other instanceof PyDate && (this.micro === undefined) === (other.micro === undefined);
  }
  override equals(other: Value): Value | undefined {
    if (!this.#comparable(other)) return undefined;
    const [a, b] = [this.instant, other.instant];
    return (
      (this.zone === undefined) === (other.zone === undefined) && a[0] === b[0] && a[1] === b[1]
    );
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!this.#comparable(other))
      return other instanceof PyDate
        ? raise('TypeError', `can't compare ${this.cls.label} to ${other.cls.label}`)
        : undefined;
    if ((this.zone === undefined) !== (other.zone === undefined))
      raise('TypeError', "can't compare offset-naive and offset-aware datetimes");
    const [a, b] = [this.instant, other.instant];
    return a[0] === b[0] ? orderOf(op, a[1], b[1]) : orderOf(op, a[0], b[0]);
  }
  moved(by: TimeDelta, sign: 1 | -1): PyDate {
    if (this.micro === undefined) return new PyDate(this.ordinal + sign * by.days);
    const micro = this.micro + sign * by.micro;
    const carry = Math.floor(micro / DAY_MICROS);
    return new PyDate(this.ordinal + sign * by.days + carry, micro - carry * DAY_MICROS, this.zone);
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (right instanceof TimeDelta && (op === '+' || op === '-'))
      return this.moved(right, op === '+' ? 1 : -1);
    if (op !== '-' || !this.#comparable(right)) return undefined;
    if ((this.zone === undefined) !== (right.zone === undefined))
      raise('TypeError', "can't subtract offset-naive and offset-aware datetimes");
    return new TimeDelta(this.instant[0] - right.instant[0], this.instant[1] - right.instant[1]);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '+' ? this.binary(op, left) : undefined;
  }
}

const TIME_SPECS: Readonly<Record<string, string>> = {
  hours: '%H',
  minutes: '%R',
  seconds: '%T',
  microseconds: '%T.%f',
};

/**
 * A time of day in ISO form. `spec` is the `timespec` of `isoformat`.
 * @throws ValueError for an unknown one
 */
export function clockText(micro: number, spec: string): string {
  const point = { ordinal: 1, micro, offset: undefined };
  if (spec === 'auto') return strftime(point, micro % 1e6 === 0 ? '%T' : '%T.%f');
  if (spec === 'milliseconds') return strftime(point, '%T.%f').slice(0, -3);
  const format = TIME_SPECS[spec];
  return format === undefined
    ? raise('ValueError', 'Unknown timespec value')
    : strftime(point, format);
}
