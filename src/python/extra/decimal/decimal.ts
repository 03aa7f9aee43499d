import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { hashFloat, hashInt } from '../../objects/numbers/hash.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { COMPOUND, keyOf } from '../../objects/key.ts';
import { asFloat, asInt, float, integer } from '../../objects/numbers/number.ts';
import { PyObject, asText } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, UnaryOp, Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { ratio } from '../../builtins/numbers.ts';
import * as compute from './compute.ts';
import { context } from './context.ts';
import type { DecimalContext } from './context.ts';
import {
  adjusted,
  comparedDecimals,
  isFiniteDecimal,
  infinite,
  isNaNDec,
  isZero,
  NAN,
  rescaled,
  ten,
} from './number.ts';
import type { Dec } from './number.ts';
import { decimalPower } from './powers.ts';
import { decimalText, formatted, parsed } from './text.ts';

export const decimalClass = new PyClass('Decimal', [types.object], { module: 'decimal' });

/** `decimal.Decimal`: never changed once made. */
export class Decimal extends PyInstance {
  readonly dec: Dec;

  constructor(dec: Dec) {
    super(decimalClass);
    this.dec = dec;
  }
  override repr(): string {
    return `Decimal('${this.str()}')`;
  }
  override str(): string {
    return decimalText(this.dec, false, context().capitals);
  }
  override format(spec: string): string {
    return spec === '' ? this.str() : formatted(context(), this.dec, spec);
  }
  override truthy(): boolean {
    return !isZero(this.dec);
  }
  override key(): Key {
    const { dec } = this;
    if (dec.kind === 'snan') raise('TypeError', 'Cannot hash a signaling NaN value');
    if (dec.kind === 'nan') return this;
    const exact = exactFloat(dec);
    if (exact !== undefined) return keyOf(exact);
    if (adjusted(dec) < 400 && dec.exponent >= 0)
      return keyOf(integer(BigInt(dec.sign) * dec.coefficient * ten(dec.exponent)));
    return `${COMPOUND}d${decimalText(compute.trimmed(dec, Number.MAX_SAFE_INTEGER))}`;
  }
  override steadyHash(): bigint | undefined {
    return isNaNDec(this.dec) ? undefined : hashed(this.dec);
  }
  override equals(other: Value): Value | undefined {
    const theirs = comparable(other);
    if (theirs === undefined) return undefined;
    if (this.dec.kind === 'snan' || theirs.kind === 'snan') context().invalid();
    return !isNaNDec(this.dec) && !isNaNDec(theirs) && comparedDecimals(this.dec, theirs) === 0;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    const theirs = comparable(other);
    if (theirs === undefined) return undefined;
    if (isNaNDec(this.dec) || isNaNDec(theirs)) {
      context().invalid();
      return false;
    }
    const sign = comparedDecimals(this.dec, theirs);
    return op === '<' ? sign < 0 : op === '<=' ? sign <= 0 : op === '>' ? sign > 0 : sign >= 0;
  }
  override binary(op: BinaryOp, right: Value): Value | undefined {
    const theirs = operand(right);
    return theirs === undefined ? undefined : computed(op, this.dec, theirs);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    const theirs = operand(left);
    return theirs === undefined ? undefined : computed(op, theirs, this.dec);
  }
  override unary(op: UnaryOp): Value | undefined {
    if (op === '~') return undefined;
    return new Decimal(
      compute.decimalPlus(
        context(),
        op === '-' && !isNaNDec(this.dec) ? compute.negated(this.dec) : this.dec,
      ),
    );
  }
  override setAttribute(name: string): void {
    const isKnown = decimalClass.lookup(name) !== undefined;
    const what = isKnown ? `attribute '${name}' is read-only` : `has no attribute '${name}'`;
    raise('AttributeError', `'decimal.Decimal' object ${what}`);
  }
  override deleteAttribute(name: string): void {
    this.setAttribute(name);
  }
  override names(): readonly string[] {
    return [];
  }
}

const MODULUS = (1n << 61n) - 1n;

/** A double exactly. */
export function ofFloat(x: number): Dec {
  if (Number.isNaN(x)) return NAN;
  if (!Number.isFinite(x)) return infinite(x > 0 ? 1 : -1);
  const [over, under] = ratio(x);
  // The denominator is a power of two: as many fives make it one of ten.
  const places = under.toString(2).length - 1;
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1;
  return isFiniteDecimal(sign, (over < 0n ? -over : over) * 5n ** BigInt(places), -places);
}

/** What arithmetic takes for a number: decimals and ints. */
export function operand(v: Value): Dec | undefined {
  if (v instanceof Decimal) return v.dec;
  const n = asInt(v);
  return n === undefined ? undefined : ofInt(n);
}

/**
 * `Decimal(value)`: exactly the value, whatever the precision.
 * @throws TypeError, ValueError, InvalidOperation
 */
export function made(v: Value, c: DecimalContext): Dec {
  const known = comparable(v);
  if (known !== undefined) return known;
  const text = asText(v);
  if (text !== undefined) return parsed(text) ?? c.invalid('ConversionSyntax');
  if (v instanceof PyObject && (v instanceof PyTuple || v.cls === types.list))
    return ofParts(items(v));
  return raise('TypeError', `conversion from ${typeName(v)} to Decimal is not supported`);
}

/** The int that is left without the fraction. @throws ValueError, OverflowError */
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

function ofInt(n: number | bigint): Dec {
  return isFiniteDecimal(n < 0 ? -1 : 1, BigInt(n < 0 ? -n : n), 0);
}

/** What comparisons take for a number: floats as well. */
function comparable(v: Value): Dec | undefined {
  const x = asFloat(v);
  return x === undefined ? operand(v) : ofFloat(x);
}

/** Sign, digits and exponent, as `as_tuple` gives them. */
function ofParts(parts: readonly Value[]): Dec {
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

function computed(op: BinaryOp, a: Dec, b: Dec): Value | undefined {
  const c = context();
  switch (op) {
    case '+':
      return new Decimal(compute.sum(c, a, b));
    case '-':
      return new Decimal(compute.sum(c, a, isNaNDec(b) ? b : compute.negated(b)));
    case '*':
      return new Decimal(compute.product(c, a, b));
    case '/':
      return new Decimal(compute.quotient(c, a, b));
    case '//':
      return new Decimal(compute.wholeQuotient(c, a, b));
    case '%':
      return new Decimal(compute.decimalRemainder(c, a, b));
    case '**':
      return new Decimal(decimalPower(c, a, b));
    default:
      return undefined;
  }
}

/** The double that is exactly this number, as a Python value. */
function exactFloat(dec: Dec): Value | undefined {
  if (dec.kind === 'infinite') return dec.sign * Infinity;
  if (Math.abs(adjusted(dec)) > 320) return undefined;
  const n = Number(decimalText(dec));
  return Number.isFinite(n) && comparedDecimals(ofFloat(n), dec) === 0
    ? float(n === 0 ? 0 : n)
    : undefined;
}

/** The hash of the number modulo a prime, as all numbers have it. */
function hashed(dec: Dec): bigint {
  if (dec.kind === 'infinite') return hashFloat(dec.sign * Infinity);
  tick(64);
  let [result, base] = [
    dec.coefficient % MODULUS,
    dec.exponent >= 0 ? 10n : powered(10n, MODULUS - 2n),
  ];
  base = powered(base, BigInt(Math.abs(dec.exponent)));
  result = (result * base) % MODULUS;
  return hashInt(dec.sign < 0 ? -result : result);
}

function powered(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let n = exponent; n > 0n; n >>= 1n) {
    if (n % 2n === 1n) result = (result * square) % MODULUS;
    square = (square * square) % MODULUS;
  }
  return result;
}
