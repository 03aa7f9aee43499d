import { ofFloat, ofInt, ofParts, exactFloat } from './conversions.ts';
import { hashed } from './hash.ts';
import { raise } from '../../errors.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import { COMPOUND, keyOf } from '../../objects/key.ts';
import { asFloat, asInt, integer } from '../../objects/numbers/number.ts';
import { PyObject, asText } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { BinaryOp, Key, OrderOp, UnaryOp, Value } from '../../objects/object.ts';
import { items } from '../../objects/protocol.ts';
import { context } from './context.ts';
import type { DecimalContext } from './context.ts';
import { adjusted, comparedDecimals, isNaNDec, isZero, ten } from './number.ts';
import type { Dec } from './number.ts';
import { decimalPower } from './powers.ts';
import { decimalText, formatted, parsed } from './text.ts';
import * as compute from './compute.ts';

export const decimalClass = new PyClass('Decimal', [types.object], { module: 'decimal' });

/** `decimal.Decimal`: immutable. */
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
    return theirs && computed(op, this.dec, theirs);
  }
  override reflected(op: BinaryOp, left: Value): Value | undefined {
    const theirs = operand(left);
    return theirs && computed(op, theirs, this.dec);
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

/** What arithmetic accepts as a number: decimals and ints. */
export function operand(v: Value): Dec | undefined {
  if (v instanceof Decimal) return v.dec;
  const n = asInt(v);
  return n === undefined ? undefined : ofInt(n);
}

/** The same for an argument. @throws TypeError */
export function givenDecimal(v: Value): Dec {
  return (
    operand(v) ?? raise('TypeError', `conversion from ${typeName(v)} to Decimal is not supported`)
  );
}

/**
 * `Decimal(value)`: exactly the value, whatever the precision.
 * @throws TypeError, ValueError, InvalidOperation
 */
export function decimalOf(v: Value, c: DecimalContext): Dec {
  const known = comparable(v);
  if (known !== undefined) return known;
  const text = asText(v);
  if (text !== undefined) return parsed(text) ?? c.invalid('ConversionSyntax');
  if (v instanceof PyObject && (v.cls.isSubclassOf(types.tuple) || v.cls === types.list))
    return ofParts(items(v));
  return raise('TypeError', `conversion from ${typeName(v)} to Decimal is not supported`);
}

/** What comparisons accept as a number: floats as well. */
function comparable(v: Value): Dec | undefined {
  const x = asFloat(v);
  return x === undefined ? operand(v) : ofFloat(x);
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
