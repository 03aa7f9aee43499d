import { PyError, raise } from '../../errors.ts';
import { PerEvaluation } from '../../frame.ts';
import { PyException, exceptionNamed } from '../../objects/classes/exceptions.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyClass } from '../../objects/class.ts';
import {
  NAN,
  adjusted,
  digitsIn,
  isFiniteDecimal,
  infinite,
  isNaNDec,
  rescaled,
} from './number.ts';
import type { Dec, Rounding } from './number.ts';
const decimalException = exception('DecimalException', [exceptionNamed('ArithmeticError')]);
const inexact = exception('Inexact', [decimalException]);
const rounded = exception('Rounded', [decimalException]);
const subnormal = exception('Subnormal', [decimalException]);
const invalidOperation = exception('InvalidOperation', [decimalException]);

/** The conditions that a context may signal, by name, in CPython's order of flags. */
export const SIGNALS = [
  'InvalidOperation',
  'FloatOperation',
  'DivisionByZero',
  'Overflow',
  'Underflow',
  'Subnormal',
  'Inexact',
  'Rounded',
  'Clamped',
] as const;
export type Signal = (typeof SIGNALS)[number];

export const signals = {
  InvalidOperation: invalidOperation,
  FloatOperation: exception('FloatOperation', [decimalException, exceptionNamed('TypeError')]),
  DivisionByZero: exception('DivisionByZero', [
    decimalException,
    exceptionNamed('ZeroDivisionError'),
  ]),
  Overflow: exception('Overflow', [inexact, rounded]),
  Underflow: exception('Underflow', [inexact, rounded, subnormal]),
  Subnormal: subnormal,
  Inexact: inexact,
  Rounded: rounded,
  Clamped: exception('Clamped', [decimalException]),
} as const satisfies Record<Signal, PyClass>;
export { decimalException };

/** What exactly was invalid, for the exception's arguments. */
const CONDITIONS = {
  InvalidOperation: invalidOperation,
  ConversionSyntax: exception('ConversionSyntax', [invalidOperation]),
  DivisionImpossible: exception('DivisionImpossible', [invalidOperation]),
  DivisionUndefined: exception('DivisionUndefined', [
    invalidOperation,
    exceptionNamed('ZeroDivisionError'),
  ]),
  InvalidContext: exception('InvalidContext', [invalidOperation]),
} as const;

/** Precision, rounding and traps of computations. */
export class DecimalContext {
  prec = 28;
  rounding: Rounding = 'ROUND_HALF_EVEN';
  emin = -999_999;
  emax = 999_999;
  capitals = 1;
  clamp = 0;
  traps: ReadonlySet<Signal> = new Set(['InvalidOperation', 'DivisionByZero', 'Overflow']);
  flags: ReadonlySet<Signal> = new Set();

  copy(
    changed: Partial<Pick<DecimalContext, 'prec' | 'rounding' | 'emin' | 'emax' | 'traps'>> = {},
  ): DecimalContext {
    return Object.assign(new DecimalContext(), this, changed);
  }
  get tiny(): number {
    return this.emin - this.prec + 1;
  }

  /** Sets the flag of a signal. @throws its exception when it is trapped */
  signal(signal: Signal, told: PyClass = signals[signal]): void {
    this.flags = new Set([...this.flags, signal]);
    if (!this.traps.has(signal)) return;
    throw raised(signals[signal], [told]);
  }
  /**
   * Sets the flags of several signals of one operation.
   * @throws the exception of the first trapped signal, with all trapped ones as arguments
   */
  signalAll(...all: readonly Signal[]): void {
    this.flags = new Set([...this.flags, ...all]);
    const trapped = all.filter((signal) => this.traps.has(signal));
    const [first] = trapped;
    if (first !== undefined)
      throw raised(
        signals[first],
        trapped.map((signal) => signals[signal]),
      );
  }
  invalid(condition: keyof typeof CONDITIONS = 'InvalidOperation'): Dec {
    this.signal('InvalidOperation', CONDITIONS[condition]);
    return NAN;
  }

  /** Rounds an exact result to this context. */
  finish(d: Dec): Dec {
    if (isNaNDec(d)) return this.#cutNaN(d);
    if (d.kind === 'infinite') return d;
    if (d.coefficient === 0n)
      return isFiniteDecimal(d.sign, 0n, Math.min(Math.max(d.exponent, this.tiny), this.emax));
    const wanted = Math.max(d.exponent + digitsIn(d.coefficient) - this.prec, this.tiny);
    if (wanted <= d.exponent) return this.#within(d, d, true);
    const { value, isExact } = rescaled(d, wanted, this.rounding);
    const isLonger = digitsIn(value.coefficient) > this.prec;
    return this.#within(
      isLonger ? isFiniteDecimal(value.sign, value.coefficient / 10n, value.exponent + 1) : value,
      d,
      isExact,
      true,
    );
  }
  #within(value: Dec, exact: Dec, isExact: boolean, isRounded = false): Dec {
    if (value.coefficient !== 0n && adjusted(value) > this.emax) return this.#overflow(value.sign);
    const isTiny = adjusted(exact) < this.emin;
    if (isTiny && !isExact) this.signal('Underflow');
    if (isTiny) this.signal('Subnormal');
    if (!isExact) this.signal('Inexact');
    if (isRounded) this.signal('Rounded');
    return value;
  }
  #overflow(sign: 1 | -1): Dec {
    this.signal('Overflow');
    this.signal('Inexact');
    this.signal('Rounded');
    const isLargest =
      this.rounding === 'ROUND_DOWN' ||
      this.rounding === 'ROUND_05UP' ||
      this.rounding === (sign > 0 ? 'ROUND_FLOOR' : 'ROUND_CEILING');
    return isLargest
      ? isFiniteDecimal(sign, 10n ** BigInt(this.prec) - 1n, this.emax - this.prec + 1)
      : infinite(sign);
  }
  #cutNaN(d: Dec): Dec {
    const text = d.coefficient.toString();
    return text.length > this.prec ? { ...d, coefficient: BigInt(text.slice(-this.prec)) } : d;
  }
}

const current = new PerEvaluation<DecimalContext>();

/** Sets the context of the evaluation under way; `undefined` for a fresh one. */
export function setContext(wanted: DecimalContext | undefined): void {
  current.set(wanted);
}

/** The context of the evaluation under way. */
export function context(): DecimalContext {
  return current.get() ?? current.set(new DecimalContext());
}

/** @throws ValueError for a precision out of range */
export function checkedPrecision(n: number): number {
  return n >= 1 ? n : raise('ValueError', 'valid range for prec is [1, MAX_PREC]');
}

function exception(name: string, bases: readonly PyClass[]): PyClass {
  return new PyClass(name, bases, { module: 'decimal' });
}

/** The exception of a trapped signal; its argument lists the conditions. */
function raised(cls: PyClass, told: readonly PyClass[]): PyError {
  const args = [new PyList([...told])];
  return new PyError(cls.name, args, '', new PyException(cls, args));
}
