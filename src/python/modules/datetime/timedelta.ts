import { raise } from '../../errors.ts';
import { ratio, truncated } from '../../builtins/numbers/operations.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { asFloat, asInt, asNumber, float, integer } from '../../objects/numbers/number.ts';
import { defineGetters, defineMethods, nativeFunction } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, UnaryOp, Value } from '../../objects/object.ts';
import { hashInt, hashTuple } from '../../objects/numbers/hash.ts';
import { COMPOUND } from '../../objects/key.ts';
import { orderOf } from '../../objects/compare.ts';

/** The class `datetime.timedelta`. */
export const timedelta: PyClass = new PyClass('timedelta', [types.object], { module: 'datetime' });
export const DAY_MICROS = 86_400_000_000;
const MAX_DAYS = 999_999_999;
/** In the order in which CPython adds them. */
const UNITS = {
  microseconds: 1,
  milliseconds: 1000,
  seconds: 1e6,
  minutes: 6e7,
  hours: 3.6e9,
  days: DAY_MICROS,
  weeks: 7 * DAY_MICROS,
} as const;

/** A duration: whole days and the microseconds of the rest, so that both are exact. */
export class TimeDelta extends PyObject {
  readonly days: number;
  readonly micro: number;

  constructor(days: number, micro: number) {
    super();
    const carry = Math.floor(micro / DAY_MICROS);
    this.days = days + carry;
    this.micro = micro - carry * DAY_MICROS;
    if (Math.abs(this.days) > MAX_DAYS)
      raise('OverflowError', `days=${this.days}; must have magnitude <= ${MAX_DAYS}`);
  }
  get cls(): PyClass {
    return timedelta;
  }
  get seconds(): number {
    return Math.floor(this.micro / 1e6);
  }
  get total(): number {
    return asNumber(binary('/', integer(this.micros), 1_000_000)) ?? 0;
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
  override steadyHash(): bigint {
    const seconds = Math.floor(this.micro / 1e6);
    return hashTuple([this.days, seconds, this.micro - seconds * 1e6].map(hashInt));
  }
  override key(): Key {
    return `${COMPOUND}d${this.days};${this.micro}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof TimeDelta
      ? this.days === other.days && this.micro === other.micro
      : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    if (!(other instanceof TimeDelta)) return undefined;
    return this.days === other.days
      ? orderOf(op, this.micro, other.micro)
      : orderOf(op, this.days, other.days);
  }
  /** The whole duration in microseconds. */
  get micros(): bigint {
    return BigInt(this.days) * BigInt(DAY_MICROS) + BigInt(this.micro);
  }
  /** The product with a fraction, rounded half to even. */
  scaled(over: bigint, under: bigint): TimeDelta {
    return ofMicros(nearest(this.micros * over, under));
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    if (right instanceof TimeDelta) return this.#withDelta(op, right);
    const n = asInt(right);
    const x = asFloat(right);
    if (
      (n === undefined && x === undefined) ||
      !(op === '*' || op === '/' || (op === '//' && n !== undefined))
    )
      return undefined;
    const [over, under] = n === undefined ? ratio(x ?? 0) : [BigInt(n), 1n];
    if (op === '*') return this.scaled(over, under);
    if (over === 0n)
      raise('ZeroDivisionError', n === undefined ? 'division by zero' : INTEGER_DIVISION);
    return op === '/' ? this.scaled(under, over) : ofMicros(floorDivided(this.micros, over));
  }
  #withDelta(op: BinaryOp, right: TimeDelta): Value | undefined {
    const [a, b] = [this.micros, right.micros];
    if (op === '+') return ofMicros(a + b);
    if (op === '-') return ofMicros(a - b);
    if (op !== '/' && op !== '//' && op !== '%') return undefined;
    if (b === 0n) raise('ZeroDivisionError', op === '/' ? 'division by zero' : INTEGER_DIVISION);
    if (op === '/') return binary('/', integer(a), integer(b));
    const quotient = floorDivided(a, b);
    return op === '//' ? integer(quotient) : ofMicros(a - quotient * b);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    return op === '*' ? this.binary(op, left) : undefined;
  }
  override unary(op: UnaryOp): Value | undefined {
    if (op === '~') return undefined;
    return op === '-' ? new TimeDelta(-this.days, -this.micro) : this;
  }
}

const INTEGER_DIVISION = 'integer division or modulo by zero';

const ARGUMENTS = ['days', 'seconds', 'microseconds', 'milliseconds', 'minutes', 'hours', 'weeks'];
const maker = nativeFunction(
  'timedelta(days=, seconds=, microseconds=, milliseconds=, minutes=, hours=, weeks=)',
  (...amounts) => durationOf(amounts),
);
timedelta.create = (_cls, args, kwargs) => maker.call(args, kwargs);
defineGetters(timedelta, TimeDelta, {
  days: (self) => self.days,
  seconds: (self) => self.seconds,
  microseconds: (self) => self.micro % 1e6,
});
defineMethods(timedelta, TimeDelta, {
  'total_seconds()': (self) => float(self.total),
  '__abs__()': (self) => (self.days < 0 ? new TimeDelta(-self.days, -self.micro) : self),
});
timedelta.dict.set('min', new TimeDelta(-MAX_DAYS, 0));
timedelta.dict.set('max', new TimeDelta(MAX_DAYS, DAY_MICROS - 1));
timedelta.dict.set('resolution', new TimeDelta(0, 1));

/** A quotient rounded to a whole number, half to even. */
function nearest(over: bigint, under: bigint): bigint {
  const floor = floorDivided(over, under);
  const twice = (over - floor * under) * 2n * (under < 0n ? -1n : 1n);
  const size = under < 0n ? -under : under;
  return twice > size || (twice === size && floor % 2n !== 0n) ? floor + 1n : floor;
}

function floorDivided(over: bigint, under: bigint): bigint {
  return over / under - (over % under !== 0n && over < 0n !== under < 0n ? 1n : 0n);
}

/**
 * The sum of amounts per unit. Each float adds its whole microseconds; the rests are added as
 * floats and rounded once, half to even, which is CPython's way to the last microsecond.
 */
function durationOf(amounts: readonly (Value | undefined)[]): TimeDelta {
  let sum = 0n;
  let left = 0;
  for (const [unit, size] of Object.entries(UNITS)) {
    const v = amounts[ARGUMENTS.indexOf(unit)];
    if (v === undefined) continue;
    const n = asInt(v);
    const x = asFloat(v);
    if (n !== undefined) sum += BigInt(n) * BigInt(size);
    else if (x !== undefined) {
      const whole = truncated(x);
      const part = (x - Number(whole)) * size;
      sum += BigInt(whole) * BigInt(size) + BigInt(Math.trunc(part));
      left += part - Math.trunc(part);
    } else raise('TypeError', `unsupported type for timedelta ${unit} component: ${typeName(v)}`);
  }
  const rounded = Math.abs(left % 1) === 0.5 ? Math.trunc(left) : Math.round(left);
  const tie =
    Math.abs(left % 1) === 0.5 && (sum + BigInt(rounded)) % 2n !== 0n
      ? BigInt(Math.sign(left))
      : 0n;
  return ofMicros(sum + BigInt(rounded) + tie);
}

function ofMicros(micros: bigint): TimeDelta {
  const days = floorDivided(micros, BigInt(DAY_MICROS));
  if (days > BigInt(MAX_DAYS) || days < -BigInt(MAX_DAYS))
    raise('OverflowError', `days=${String(days)}; must have magnitude <= ${MAX_DAYS}`);
  return new TimeDelta(Number(days), Number(micros - days * BigInt(DAY_MICROS)));
}
