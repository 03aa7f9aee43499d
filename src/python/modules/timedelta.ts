import { raise } from '../errors.ts';
import { asFloat, asInt, asNumber, float } from '../objects/number.ts';
import { defineGetters, defineMethods, nativeFunction } from '../objects/native.ts';
import { PyClass, PyObject, typeName, types } from '../objects/object.ts';
import type { BinaryOp, Key, OrderOp, UnaryOp, Value } from '../objects/object.ts';
import { COMPOUND } from '../objects/key.ts';
import { orderOf } from '../objects/compare.ts';

/** The class `datetime.timedelta`. */
export const timedelta: PyClass = new PyClass('timedelta', [types.object], { module: 'datetime' });
export const DAY_MICROS = 86_400_000_000;
const MAX_DAYS = 999_999_999;
const UNITS = {
  days: DAY_MICROS,
  seconds: 1e6,
  microseconds: 1,
  milliseconds: 1000,
  minutes: 6e7,
  hours: 3.6e9,
  weeks: 7 * DAY_MICROS,
} as const;

/** Nearest integer, halves to even. */
const nearest = (x: number): number => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

/** A duration: whole days and the microseconds of a last, part day, so that both are exact. */
export class TimeDelta extends PyObject {
  readonly days: number;
  readonly micro: number;

  constructor(days: number, micro: number) {
    super();
    const carry = Math.floor(micro / DAY_MICROS);
    this.days = days + carry;
    this.micro = micro - carry * DAY_MICROS;
    if (Math.abs(this.days) > MAX_DAYS) raise('OverflowError', `days=${this.days}; must have magnitude <= ${MAX_DAYS}`);
  }
  get cls(): PyClass {
    return timedelta;
  }
  get seconds(): number {
    return Math.floor(this.micro / 1e6);
  }
  get total(): number {
    return (this.days * 86400 * 1e6 + this.micro) / 1e6;
  }
  override truthy(): boolean {
    return this.days !== 0 || this.micro !== 0;
  }
  override repr(): string {
    const parts = [
      ['days', this.days],
      ['seconds', this.seconds],
      ['microseconds', this.micro % 1e6],
    ].filter(([, n]) => n !== 0);
    const shown = parts.map(([name, n]) => `${String(name)}=${String(n)}`).join(', ');
    return `datetime.timedelta(${shown === '' ? '0' : shown})`;
  }
  override str(): string {
    const [hours, minutes, seconds] = [
      Math.floor(this.seconds / 3600),
      Math.floor(this.seconds / 60) % 60,
      this.seconds % 60,
    ];
    const days = this.days === 0 ? '' : `${this.days} day${Math.abs(this.days) === 1 ? '' : 's'}, `;
    const fraction = this.micro % 1e6 === 0 ? '' : `.${String(this.micro % 1e6).padStart(6, '0')}`;
    return `${days}${hours}:${String(minutes).padStart(2, '0')}:${String(seconds).padStart(2, '0')}${fraction}`;
  }
  override key(): Key {
    return `${COMPOUND}d${this.days};${this.micro}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof TimeDelta ? this.days === other.days && this.micro === other.micro : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof TimeDelta)) return undefined;
    return this.days === other.days ? orderOf(op, this.micro, other.micro) : orderOf(op, this.days, other.days);
  }
  scaled(by: number): TimeDelta {
    return durationOf({ days: this.days * by, microseconds: this.micro * by });
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (right instanceof TimeDelta) return this.#withDelta(op, right);
    const n = asNumber(right);
    if (n === undefined) return undefined;
    if (op === '*') return this.scaled(n);
    if (op !== '/' && op !== '//') return undefined;
    if (n === 0) raise('ZeroDivisionError', 'division by zero');
    const micros = this.days * DAY_MICROS + this.micro;
    if (op === '//' && asInt(right) === undefined) return undefined;
    return new TimeDelta(0, op === '/' ? nearest(micros / n) : Math.floor(micros / n));
  }
  #withDelta(op: BinaryOp, right: TimeDelta): Value | undefined {
    const [a, b] = [this.days * DAY_MICROS + this.micro, right.days * DAY_MICROS + right.micro];
    if (op === '+') return new TimeDelta(this.days + right.days, this.micro + right.micro);
    if (op === '-') return new TimeDelta(this.days - right.days, this.micro - right.micro);
    if ((op === '/' || op === '//' || op === '%') && b === 0)
      raise('ZeroDivisionError', op === '/' ? 'division by zero' : 'integer division or modulo by zero');
    if (op === '/') return float(a / b);
    if (op === '//') return Math.floor(a / b);
    return op === '%' ? new TimeDelta(0, a - Math.floor(a / b) * b) : undefined;
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    const n = asNumber(left);
    return op === '*' && n !== undefined ? this.scaled(n) : undefined;
  }
  override unary(op: UnaryOp): Value | undefined {
    if (op === '~') return undefined;
    return op === '-' ? new TimeDelta(-this.days, -this.micro) : this;
  }
}

/**
 * A duration of the sum of amounts per unit; fractions of days and weeks are carried exactly enough for microseconds.
 */
function durationOf(amounts: Partial<Record<keyof typeof UNITS, number>>): TimeDelta {
  let days = 0;
  let micro = 0;
  for (const [unit, size] of Object.entries(UNITS)) {
    const amount = Object.entries(amounts).find(([name]) => name === unit)?.[1] ?? 0;
    if (!Number.isFinite(amount))
      raise(Number.isNaN(amount) ? 'ValueError' : 'OverflowError', 'cannot convert float infinity to integer');
    const whole = Math.trunc((amount * size) / DAY_MICROS);
    days += whole;
    micro += amount * size - whole * DAY_MICROS;
  }
  return new TimeDelta(days, nearest(micro));
}

const number = (v: Value | undefined, unit: string): number => {
  if (v === undefined) return 0;
  return asInt(v) === undefined && asFloat(v) === undefined
    ? raise('TypeError', `unsupported type for timedelta ${unit} component: ${typeName(v)}`)
    : (asNumber(v) ?? 0);
};

const maker = nativeFunction(
  'timedelta(days=, seconds=, microseconds=, milliseconds=, minutes=, hours=, weeks=)',
  (...amounts) => durationOf(Object.fromEntries(Object.keys(UNITS).map((unit, i) => [unit, number(amounts[i], unit)]))),
);
timedelta.create = (_cls, args, kwargs) => maker.call(args, kwargs);

const isDelta = (v: Value): v is TimeDelta => v instanceof TimeDelta;
defineGetters(timedelta, isDelta, {
  days: (self) => self.days,
  seconds: (self) => self.seconds,
  microseconds: (self) => self.micro % 1e6,
});
defineMethods(timedelta, isDelta, {
  'total_seconds()': (self) => float(self.total),
  '__abs__()': (self) => (self.days < 0 ? new TimeDelta(-self.days, -self.micro) : self),
});
timedelta.dict.set('min', new TimeDelta(-MAX_DAYS, 0));
timedelta.dict.set('max', new TimeDelta(MAX_DAYS, DAY_MICROS - 1));
timedelta.dict.set('resolution', new TimeDelta(0, 1));
