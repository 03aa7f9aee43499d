import { raise } from '../../errors.ts';
import { asInt, float, integer } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { ratio } from '../../builtins/numbers/operations.ts';
import {
  adjusted,
  comparedDecimals,
  isFiniteDecimal,
  infinite,
  NAN,
  isNaNDec,
  rescaled,
} from './number.ts';
import type { Dec } from './number.ts';
import { decimalText } from './text.ts';

/** A double, exactly. */
export function ofFloat(x: number): Dec {
  if (Number.isNaN(x)) return NAN;
  if (!Number.isFinite(x)) return infinite(x > 0 ? 1 : -1);
  const [over, under] = ratio(x);
  // The denominator is a power of two; the same power of five makes it a power of ten.
  const places = under.toString(2).length - 1;
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1;
  return isFiniteDecimal(sign, (over < 0n ? -over : over) * 5n ** BigInt(places), -places);
}

export function ofInt(n: number | bigint): Dec {
  return isFiniteDecimal(n < 0 ? -1 : 1, BigInt(n < 0 ? -n : n), 0);
}

/** Sign, digits and exponent, as `as_tuple` returns them. */
export function ofParts(parts: readonly Value[]): Dec {
  if (parts.length !== 3) raise('ValueError', 'argument must be a sequence of length 3');
  const [sign = null, digits = null, exponent = null] = parts;
  const isMinus = asInt(sign);
  if (isMinus !== 0 && isMinus !== 1)
    return raise('ValueError', 'sign must be an integer with the value 0 or 1');
  const text = items(digits)
    .map((digit) => {
      const n = asInt(digit);
      return n !== undefined && n >= 0 && n <= 9
        ? String(n)
        : raise('ValueError', 'coefficient must be a tuple of digits');
    })
    .join('');
  const own = isMinus === 1 ? -1 : 1;
  if (exponent === 'F') return infinite(own);
  if (exponent === 'n' || exponent === 'N')
    return {
      kind: exponent === 'n' ? 'nan' : 'snan',
      sign: own,
      coefficient: BigInt(text),
      exponent: 0,
    };
  if (typeof exponent === 'string')
    return raise('ValueError', "string argument in the third position must be 'F', 'n' or 'N'");
  const n = asInt(exponent);
  return typeof n === 'number'
    ? isFiniteDecimal(own, BigInt(text), n)
    : raise('ValueError', 'exponent must be an integer');
}

/** The double that equals this number exactly, as a Python value. */
export function exactFloat(dec: Dec): Value | undefined {
  if (dec.kind === 'infinite') return dec.sign * Infinity;
  if (Math.abs(adjusted(dec)) > 320) return undefined;
  const n = Number(decimalText(dec));
  return Number.isFinite(n) && comparedDecimals(ofFloat(n), dec) === 0
    ? float(n === 0 ? 0 : n)
    : undefined;
}

/** The number rounded to an int. @throws ValueError, OverflowError */
export function truncatedDecimal(
  dec: Dec,
  rounding: Parameters<typeof rescaled>[2] = 'ROUND_DOWN',
): Value {
  if (dec.kind === 'infinite') return raise('OverflowError', 'cannot convert Infinity to integer');
  if (isNaNDec(dec)) return raise('ValueError', 'cannot convert NaN to integer');
  if (adjusted(dec) > 60_000) raise('OverflowError', 'int too large');
  const { value } = rescaled(dec, 0, rounding);
  return integer(BigInt(value.sign) * value.coefficient);
}
