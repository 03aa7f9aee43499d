import { PyError, raise } from '../../errors.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import {
  PyFloat,
  asFloat,
  asIndex,
  asInt,
  bitLength,
  float,
  indexOf,
  integer,
  isIntValue,
  isFloatValue,
} from '../../objects/numbers/number.ts';
import { defineGetters, defineMethods } from '../../objects/classes/native.ts';
import { PyObject, underlyingOf } from '../../objects/object.ts';
import { typeName, types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { binary } from '../../objects/numbers/arithmetic.ts';
import { exactly, scaled } from '../../text/float.ts';

/** A float truncated to an int. @throws OverflowError, ValueError */
export function truncated(x: number): number | bigint {
  if (Number.isNaN(x)) raise('ValueError', 'cannot convert float NaN to integer');
  if (!Number.isFinite(x)) raise('OverflowError', 'cannot convert float infinity to integer');
  const cut = Math.trunc(x) + 0;
  return Number.isSafeInteger(cut) ? cut : integer(BigInt(cut));
}

/** `round(x, places)`: half to even, of the exact value. @throws TypeError */
export function round(value: Value, places: Value | undefined): Value {
  const n = asInt(value);
  const digits = places === undefined || places === null ? undefined : nearInt(places);
  if (n !== undefined) return digits === undefined || digits >= 0 ? n : roundInt(n, -digits);
  const x = asFloat(value);
  if (x === undefined) {
    const own =
      value instanceof PyInstance
        ? value.special('__round__', ...(digits === undefined ? [] : [digits]))
        : undefined;
    return own ?? raise('TypeError', `type ${typeName(value)} doesn't define __round__ method`);
  }
  if (digits === undefined) {
    const floor = Math.floor(x);
    const rest = x - floor;
    return truncated(
      rest < 0.5 || (rest === 0.5 && floor % 2 === 0) || !Number.isFinite(x) ? floor : floor + 1,
    );
  }
  if (!Number.isFinite(x) || digits > 330) return float(x);
  if (digits < -310) return float(x < 0 ? -0 : 0);
  const rounded = Number(`${scaled(x, digits)}e${-digits}`);
  if (!Number.isFinite(rounded)) raise('OverflowError', 'rounded value too large to represent');
  return float(x < 0 || Object.is(x, -0) ? -rounded : rounded);
}

/** Numerator and denominator of a finite float. */
export function ratio(x: number): readonly [bigint, bigint] {
  if (!Number.isFinite(x))
    raise(
      Number.isNaN(x) ? 'ValueError' : 'OverflowError',
      `cannot convert ${Number.isNaN(x) ? 'NaN' : 'Infinity'} to integer ratio`,
    );
  const { mantissa, exponent } = exactly(x);
  let [over, under] =
    exponent >= 0 ? [mantissa << BigInt(exponent), 1n] : [mantissa, 1n << BigInt(-exponent)];
  while (over % 2n === 0n && under % 2n === 0n && over !== 0n)
    [over, under] = [over / 2n, under / 2n];
  return [x < 0 ? -over : over, over === 0n ? 1n : under];
}

defineMethods(
  types.int,
  { is: isIntValue },
  {
    'bit_length()': (self) => bitLength(whole(self)),
    'bit_count()': (self) =>
      (whole(self) < 0n ? -whole(self) : whole(self)).toString(2).replaceAll('0', '').length,
    'conjugate()': (self) => integer(whole(self)),
    'as_integer_ratio()': (self) => new PyTuple([integer(whole(self)), 1]),
  },
);
defineGetters(
  types.int,
  { is: isIntValue },
  {
    real: (self) => integer(whole(self)),
    imag: () => 0,
    numerator: (self) => integer(whole(self)),
    denominator: () => 1,
  },
);
defineMethods(
  types.float,
  { is: isFloatValue },
  {
    'is_integer()': (self) => Number.isInteger(real(self)),
    'conjugate()': (self) => self,
    'as_integer_ratio()': (self) => new PyTuple(ratio(real(self)).map(integer)),
  },
);
defineGetters(types.float, { is: isFloatValue }, { real: (self) => self, imag: () => float(0) });

/** `divmod(a, b)`. */
export function divmod(left: Value, right: Value): Value {
  if (left instanceof PyInstance || right instanceof PyInstance) return ownDivmod(left, right);
  try {
    return new PyTuple([binary('//', left, right), binary('%', left, right)]);
  } catch (error) {
    if (!(error instanceof PyError)) throw error;
    if (error.message.startsWith('float floor'))
      return raise('ZeroDivisionError', 'float divmod()');
    if (error.className !== 'TypeError') throw error;
    return raise(
      'TypeError',
      `unsupported operand type(s) for divmod(): '${typeName(left)}' and '${typeName(right)}'`,
    );
  }
}

/** `abs(x)`. @throws TypeError */
export function absoluteValue(v: Value): Value {
  const n = asInt(v);
  if (n !== undefined) return n < 0 ? integer(-BigInt(n)) : n;
  const x = asFloat(v);
  if (x !== undefined) return float(Math.abs(x));
  const own =
    v instanceof PyInstance
      ? v.special('__abs__')
      : v instanceof PyObject
        ? v.attribute('__abs__')
        : undefined;
  if (v instanceof PyInstance && own !== undefined) return own;
  return own instanceof PyObject
    ? own.call([])
    : raise('TypeError', `bad operand type for abs(): '${typeName(v)}'`);
}

/** An int as a number of places; anything beyond 10 ** 6 has the same effect. */
function nearInt(v: Value): number {
  const n = asIndex(v);
  return typeof n === 'bigint' ? (n > 0n ? 1e6 : -1e6) : indexOf(v);
}

function roundInt(n: number | bigint, zeros: number): Value {
  if (zeros > 60_210) return 0;
  const unit = 10n ** BigInt(zeros);
  const value = BigInt(n);
  const rest = ((value % unit) + unit) % unit;
  const down = value - rest;
  const isUp = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n !== 0n);
  return integer(isUp ? down + unit : down);
}

function ownDivmod(left: Value, right: Value): Value {
  const own = left instanceof PyInstance ? left.operator('__divmod__', right) : undefined;
  if (own !== undefined) return own;
  const theirs = right instanceof PyInstance ? right.operator('__rdivmod__', left) : undefined;
  if (theirs !== undefined) return theirs;
  const [a, b] = [left, right].map(underlyingOf);
  if (a !== undefined && b !== undefined && (a !== left || b !== right)) return divmod(a, b);
  return raise(
    'TypeError',
    `unsupported operand type(s) for divmod(): '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function whole(v: number | bigint | boolean): bigint {
  return BigInt(v);
}

function real(v: number | PyFloat): number {
  return v instanceof PyFloat ? v.v : v;
}
