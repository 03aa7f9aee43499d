import { raise } from '../../errors.ts';
import {
  defineClassMethod,
  defineGetters,
  defineMethods,
  nativeFunction,
} from '../../objects/classes/native.ts';
import { asInt, float, indexOf, integer, toDouble } from '../../objects/numbers/number.ts';
import type { Value } from '../../objects/object.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { tupleClass } from '../../modules/namedtuple.ts';
import { context } from './context.ts';
import type { DecimalContext } from './context.ts';
import { contextOf } from './contexts.ts';
import { Decimal, decimalClass, givenDecimal, decimalOf, operand } from './decimal.ts';
import { ofFloat, truncatedDecimal } from './conversions.ts';
import {
  ROUNDINGS,
  adjusted,
  comparedDecimals,
  isFiniteDecimal,
  isNaNDec,
  isZero,
  ten,
} from './number.ts';
import type { Dec, Rounding } from './number.ts';
import { decimalExp, decimalLn, decimalLog10, root } from './powers.ts';
import { decimalText } from './text.ts';
import * as compute from './compute.ts';

const parts = tupleClass('DecimalTuple', 'decimal', ['sign', 'digits', 'exponent'], false);

/** Larger than any exponent of a result. */
const WIDEST = 999_999_999_999;

/** A constant such as ROUND_UP. @throws TypeError */
export function roundingOf(v: Value): Rounding {
  const found = ROUNDINGS.find((name) => name === v);
  return (
    found ??
    raise(
      'TypeError',
      'valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, ROUND_UP, ROUND_DOWN,\n' +
        '   ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN,\n   ROUND_05UP]',
    )
  );
}

defineMethods(decimalClass, Decimal, {
  'quantize(exp, rounding=, context=)': (self, like: Value = null, rounding, by) => {
    const c = contextOf(by);
    return new Decimal(compute.quantized(c, self.dec, givenDecimal(like), optional(rounding, c)));
  },
  'to_integral_value(rounding=, context=)': integral,
  'to_integral(rounding=, context=)': integral,
  'to_integral_exact(rounding=, context=)': (self, rounding, by) => {
    const c = contextOf(by);
    const value = compute.integral(c, self.dec, optional(rounding, c));
    if (self.dec.kind === 'finite' && comparedDecimals(value, self.dec) !== 0) c.signal('Inexact');
    return new Decimal(value);
  },
  'normalize(context=)': one(compute.normalized),
  'sqrt(context=)': one(root),
  'exp(context=)': one(decimalExp),
  'ln(context=)': one(decimalLn),
  'log10(context=)': one(decimalLog10),
  'compare(other, context=)': two(compute.comparison),
  'max(other, context=)': two((c, a, b) => compute.extreme(c, a, b, 1)),
  'min(other, context=)': two((c, a, b) => compute.extreme(c, a, b, -1)),
  'fma(other, third, context=)': (self, other: Value = null, third: Value = null, by) => {
    const c = contextOf(by);
    const exact = c.copy({ prec: 20_000, emax: WIDEST, emin: -WIDEST });
    const [factor, summand] = [givenDecimal(other), givenDecimal(third)];
    return new Decimal(compute.sum(c, compute.product(exact, self.dec, factor), summand));
  },
  'scaleb(other, context=)': (self, other: Value = null, by) => {
    const { dec } = self;
    const shift = indexOf(integerOf(other));
    return new Decimal(
      dec.kind === 'finite'
        ? contextOf(by).finish(isFiniteDecimal(dec.sign, dec.coefficient, dec.exponent + shift))
        : dec,
    );
  },
  'copy_abs()': (self) => new Decimal(compute.absolute(self.dec)),
  'copy_negate()': (self) => new Decimal(compute.negated(self.dec)),
  'copy_sign(other, context=)': (self, other: Value = null) =>
    new Decimal({ ...self.dec, sign: givenDecimal(other).sign }),
  'same_quantum(other, context=)': (self, other: Value = null) => {
    const theirs = givenDecimal(other);
    return self.dec.kind === 'finite' || theirs.kind === 'finite'
      ? self.dec.kind === theirs.kind && self.dec.exponent === theirs.exponent
      : self.dec.kind === theirs.kind || (isNaNDec(self.dec) && isNaNDec(theirs));
  },
  'adjusted()': (self) =>
    self.dec.kind === 'finite' ? (isZero(self.dec) ? self.dec.exponent : adjusted(self.dec)) : 0,
  'as_tuple()': asTuple,
  'as_integer_ratio()': asRatio,
  'conjugate()': (self) => self,
  'canonical()': (self) => self,
  'is_canonical()': () => true,
  'is_finite()': (self) => self.dec.kind === 'finite',
  'is_infinite()': (self) => self.dec.kind === 'infinite',
  'is_nan()': (self) => isNaNDec(self.dec),
  'is_qnan()': (self) => self.dec.kind === 'nan',
  'is_snan()': (self) => self.dec.kind === 'snan',
  'is_signed()': (self) => self.dec.sign < 0,
  'is_zero()': (self) => isZero(self.dec),
  'is_normal(context=)': (self, by) => /Normal/.test(numberClass(self, contextOf(by))),
  'is_subnormal(context=)': (self, by) => /Subnormal/.test(numberClass(self, contextOf(by))),
  'number_class(context=)': (self, by) => numberClass(self, contextOf(by)),
  'to_eng_string(context=)': (self, by) => decimalText(self.dec, true, contextOf(by).capitals),
  '__int__()': (self) => truncatedDecimal(self.dec),
  '__trunc__()': (self) => truncatedDecimal(self.dec),
  '__floor__()': (self) => truncatedDecimal(self.dec, 'ROUND_FLOOR'),
  '__ceil__()': (self) => truncatedDecimal(self.dec, 'ROUND_CEILING'),
  '__round__(ndigits=)': rounded,
  '__float__()': (self) =>
    self.dec.kind === 'snan'
      ? raise('ValueError', 'cannot convert signaling NaN to float')
      : float(isNaNDec(self.dec) ? Number.NaN : Number(decimalText(self.dec))),
  '__abs__()': (self) =>
    new Decimal(
      compute.decimalPlus(context(), isNaNDec(self.dec) ? self.dec : compute.absolute(self.dec)),
    ),
  '__divmod__(other)': (self, other: Value = null) => divided(self.dec, operand(other)),
  '__rdivmod__(other)': (self, other: Value = null) => {
    const theirs = operand(other);
    return theirs === undefined ? divided(self.dec, undefined) : divided(theirs, self.dec);
  },
});
defineGetters(decimalClass, Decimal, {
  real: (self) => self,
  imag: () => new Decimal(isFiniteDecimal(1, 0n, 0)),
});

const constructor = nativeFunction('Decimal(value=, context=)', (value = '0', by) =>
  value instanceof Decimal ? value : new Decimal(decimalOf(value, contextOf(by))),
);
decimalClass.create = (_cls, args, kwargs) => constructor.call(args, kwargs);
defineClassMethod(
  decimalClass,
  'from_float(f, /)',
  (_cls, value: Value) =>
    new Decimal(asInt(value) === undefined ? ofFloat(toDouble(value)) : givenDecimal(value)),
);

function asTuple(self: Decimal): Value {
  const { sign, coefficient, exponent, kind } = self.dec;
  const digits =
    kind === 'finite'
      ? coefficient.toString()
      : kind === 'infinite' || coefficient !== 0n
        ? coefficient.toString()
        : '';
  const shown =
    kind === 'finite' ? exponent : kind === 'infinite' ? 'F' : kind === 'nan' ? 'n' : 'N';
  return parts.make([sign < 0 ? 1 : 0, new PyTuple(Array.from(digits, Number)), shown]);
}

function asRatio({ dec }: Decimal): Value {
  if (dec.kind === 'infinite')
    return raise('OverflowError', 'cannot convert Infinity to integer ratio');
  if (isNaNDec(dec)) return raise('ValueError', 'cannot convert NaN to integer ratio');
  let [over, under] = [dec.coefficient * ten(dec.exponent), ten(-dec.exponent)];
  let [a, b] = [over, under];
  while (b !== 0n) [a, b] = [b, a % b];
  if (a !== 0n) [over, under] = [over / a, under / a];
  return new PyTuple([integer(BigInt(dec.sign) * over), integer(under)]);
}

function numberClass({ dec }: Decimal, c: DecimalContext): string {
  if (dec.kind === 'snan') return 'sNaN';
  if (dec.kind === 'nan') return 'NaN';
  const sign = dec.sign < 0 ? '-' : '+';
  if (dec.kind === 'infinite') return `${sign}Infinity`;
  if (isZero(dec)) return `${sign}Zero`;
  return sign + (adjusted(dec) < c.emin ? 'Subnormal' : 'Normal');
}

/** `round(d)` is an int, `round(d, n)` a Decimal. */
function rounded(self: Decimal, places: Value | undefined): Value {
  if (places === undefined) return truncatedDecimal(self.dec, 'ROUND_HALF_EVEN');
  return new Decimal(
    compute.quantized(
      context(),
      self.dec,
      isFiniteDecimal(1, 1n, -indexOf(places)),
      'ROUND_HALF_EVEN',
    ),
  );
}

function one(compute1: (c: DecimalContext, d: Dec) => Dec) {
  return (self: Decimal, by?: Value): Value => new Decimal(compute1(contextOf(by), self.dec));
}

function two(compute2: (c: DecimalContext, a: Dec, b: Dec) => Dec) {
  return (self: Decimal, other: Value = null, by?: Value): Value =>
    new Decimal(compute2(contextOf(by), self.dec, givenDecimal(other)));
}

function integral(self: Decimal, rounding?: Value, by?: Value): Value {
  const c = contextOf(by);
  return new Decimal(compute.integral(c, self.dec, optional(rounding, c)));
}

function optional(v: Value | undefined, c: DecimalContext): Rounding {
  return v === undefined || v === null ? c.rounding : roundingOf(v);
}

function divided(a: Dec, b: Dec | undefined): Value {
  if (b === undefined) return raise('TypeError', 'unsupported operand type(s) for divmod()');
  return new PyTuple(compute.quotientAndRemainder(context(), a, b).map((d) => new Decimal(d)));
}

function integerOf(v: Value): Value {
  return v instanceof Decimal ? truncatedDecimal(v.dec) : (asInt(v) ?? v);
}
