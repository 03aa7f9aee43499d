import { raise } from '../../errors.ts';
import { floatText } from '../../text/float.ts';
import { hashFloat } from './hash.ts';
import { PyObject } from '../object.ts';
import { typeName, types } from '../types.ts';
import type { Key, Value } from '../object.ts';
import type { PyClass } from '../class.ts';

/**
 * A float with an integral value (`8.0`, `-0.0`, `1e300`), or NaN, which equals nothing and is
 * found by identity. All other floats are plain JavaScript numbers.
 */
export class PyFloat extends PyObject {
  readonly v: number;

  constructor(v: number) {
    super();
    this.v = v;
  }
  get cls(): PyClass {
    return types.float;
  }
  override truthy(): boolean {
    return this.v !== 0;
  }
  override repr(): string {
    return floatText(this.v);
  }
  override steadyHash(): bigint | undefined {
    return Number.isNaN(this.v) ? undefined : hashFloat(this.v);
  }
  override key(): Key {
    if (Number.isNaN(this.v)) return this;
    return Number.isSafeInteger(this.v) ? this.v + 0 : BigInt(this.v);
  }
}

/**
 * The Python float of a JavaScript number. Floats are made only here, so that `8.0` never turns
 * into `8`.
 */
export function float(n: number): Value {
  return Number.isInteger(n) || Number.isNaN(n) ? new PyFloat(n) : n;
}

/** Wider ints raise OverflowError: BigInt arithmetic on them would stall the isolate. */
export const MAX_INT_BITS = 200_000;
const INT_LIMIT = 1n << BigInt(MAX_INT_BITS);

/** The Python int of a BigInt: a number as long as it is safe. */
export function integer(n: bigint): number | bigint {
  if (n >= -9007199254740991n && n <= 9007199254740991n) return Number(n);
  if (n >= INT_LIMIT || n <= -INT_LIMIT)
    raise('OverflowError', `int too large: more than ${MAX_INT_BITS} bits`);
  return n;
}

/** An int or bool as int; `undefined` for anything else. */
export function asInt(v: Value): number | bigint | undefined {
  if (typeof v === 'number') return Number.isInteger(v) ? v : undefined;
  if (typeof v === 'bigint') return v;
  if (typeof v === 'boolean') return Number(v);
  const own = v instanceof PyObject ? v.underlying : undefined;
  return own === undefined ? undefined : asInt(own);
}

export function isIntValue(v: Value): v is number | bigint | boolean {
  return asInt(v) !== undefined;
}

export function isFloatValue(v: Value): v is number | PyFloat {
  return asFloat(v) !== undefined;
}

/** The float inside a float value; `undefined` for anything else. */
export function asFloat(v: Value): number | undefined {
  if (typeof v === 'number') return Number.isInteger(v) ? undefined : v;
  if (v instanceof PyFloat) return v.v;
  const own = v instanceof PyObject ? v.underlying : undefined;
  return own === undefined ? undefined : asFloat(own);
}

/**
 * An int, float or bool as a JavaScript number (an int beyond 2^53 is rounded);
 * `undefined` for anything else.
 */
export function asNumber(v: Value): number | undefined {
  if (typeof v === 'number') return v;
  if (v instanceof PyFloat) return v.v;
  if (typeof v === 'boolean' || typeof v === 'bigint') return Number(v);
  const own = v instanceof PyObject ? v.underlying : undefined;
  return own === undefined ? undefined : asNumber(own);
}

/**
 * As `asNumber`, but `undefined` for an object of a class of its own, whose operators come first.
 */
export function asPlainNumber(v: Value): number | undefined {
  return typeof v === 'object' && !(v instanceof PyFloat) ? undefined : asNumber(v);
}

/** An int, or the result of `__index__`; `undefined` for anything else. */
export function asIndex(v: Value): number | bigint | undefined {
  return asInt(v) ?? (v instanceof PyObject ? v.index() : undefined);
}

/** @throws TypeError */
export function notAnInteger(v: Value): never {
  return raise('TypeError', `'${typeName(v)}' object cannot be interpreted as an integer`);
}

/** An int that must fit a JavaScript number: an index, a width, a count. */
export function indexOf(
  v: Value | undefined,
  what = `'${typeName(v ?? null)}' object cannot be interpreted as an integer`,
): number {
  const n = v === undefined ? undefined : asIndex(v);
  if (n === undefined) return raise('TypeError', what);
  return typeof n === 'number'
    ? n
    : raise('OverflowError', 'Python int too large to convert to C ssize_t');
}

/** A real number as a double. @throws OverflowError when an int is beyond the range of floats */
export function toDouble(v: Value): number {
  const n =
    asNumber(v) ?? (v instanceof PyObject ? (v.real() ?? asNumber(v.index() ?? null)) : undefined);
  if (n === undefined) return raise('TypeError', `must be real number, not ${typeName(v)}`);
  if (typeof v === 'bigint' && !Number.isFinite(n))
    raise('OverflowError', 'int too large to convert to float');
  return n;
}

/** Decimal digits of an int. CPython refuses more than 4300 digits, and so does this function. */
export function intText(n: number | bigint): string {
  if (typeof n === 'number') return String(n);
  const digits = bitLength(n) > 14_400 ? '' : String(n);
  if (digits === '' || digits.length > 4301) {
    raise(
      'ValueError',
      'Exceeds the limit (4300 digits) for integer string conversion; ' +
        'use sys.set_int_max_str_digits() to increase the limit',
    );
  }
  return digits;
}

/** Bits of the absolute value. */
export function bitLength(n: number | bigint): number {
  const abs = BigInt(n) < 0n ? -BigInt(n) : BigInt(n);
  const hex = abs.toString(16);
  return abs === 0n
    ? 0
    : (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex.slice(0, 1), 16)));
}

/**
 * A position in a sequence, or a number of elements. No sequence has more than 2^53 elements, so a
 * rounded number serves.
 * @throws TypeError; OverflowError beyond 64 bits
 */
export function decimalPlaceOf(v: Value): number {
  const n = asIndex(v);
  return typeof n === 'bigint' && BigInt.asIntN(64, n) === n ? Number(n) : indexOf(v);
}
