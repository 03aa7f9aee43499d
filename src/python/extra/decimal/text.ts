import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { asciiDigits } from '../../text/ascii-digits.ts';
import { digitsIn, isFiniteDecimal, infinite, rescaled } from './number.ts';
import type { DecimalContext } from './context.ts';
import type { Dec } from './number.ts';

const NUMBER = /^([-+]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([-+]?\d+))?$/i;
const SPECIAL = /^([-+]?)(?:(inf|infinity)|(s?)nan(\d*))$/i;
/** Longest coefficient of a text. */
const LONGEST = 20_000;

/** The number that a text spells; `undefined` when it spells none. */
export function parsed(given: string): Dec | undefined {
  tick(given.length >> 2);
  const text = asciiDigits(given).trim().replaceAll('_', '');
  const special = SPECIAL.exec(text);
  if (special !== null) {
    const sign = special[1] === '-' ? -1 : 1;
    if (special[2] !== undefined) return infinite(sign);
    return {
      kind: special[3] === '' ? 'nan' : 'snan',
      sign,
      coefficient: BigInt(special[4] ?? '0'),
      exponent: 0,
    };
  }
  const found = NUMBER.exec(text);
  if (found === null) return undefined;
  const [, sign, whole = '', behind = '', only = '', power = '0'] = found;
  const fraction = behind + only;
  const exponent = Number(power) - fraction.length;
  if (!Number.isSafeInteger(exponent)) return undefined;
  if (whole.length + fraction.length > LONGEST) raise('MemoryError', '');
  return isFiniteDecimal(sign === '-' ? -1 : 1, BigInt(whole + fraction), exponent);
}

/** `str` of a number; `isEngineering` makes exponents multiples of three. */
export function decimalText(d: Dec, isEngineering = false, capitals = 1): string {
  if (d.kind !== 'finite') return signText(d) + specialText(d);
  const digits = d.coefficient.toString();
  const left = d.exponent + digits.length;
  const modulo = (n: number): number => ((n % 3) + 3) % 3;
  let place = 1;
  if (d.exponent <= 0 && left > -6) place = left;
  else if (isEngineering)
    place = d.coefficient === 0n ? modulo(left + 1) - 1 : modulo(left - 1) + 1;
  const [whole, fraction] = pointed(digits, place);
  return (
    signText(d) +
    whole +
    (fraction === '' ? '' : `.${fraction}`) +
    exponentText(left - place, capitals === 1 ? 'E' : 'e', false)
  );
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(0)?(\d+)?(,)?(?:\.(\d+))?([eEfFgGn%])?$/su;

/** `format` of a number, rounded by its context. @throws ValueError */
export function formatted(c: DecimalContext, given: Dec, spec: string): string {
  const found = SPEC.exec(spec);
  // A leading zero is an alignment, and only one is allowed.
  if (found === null || (found[2] !== undefined && found[5] !== undefined))
    return raise('ValueError', 'invalid format string');
  const [
    ,
    filler,
    alignment,
    sign = '-',
    z,
    zero,
    wide = '0',
    comma,
    precise,
    type = c.capitals === 1 ? 'G' : 'g',
  ] = found;
  if (wide.length > 9 || (precise?.length ?? 0) > 9) raise('ValueError', 'invalid format string');
  const width = Number(wide);
  payForText(width + Number(precise ?? 0));
  const isZeroPadded = zero !== undefined && alignment === undefined;
  const shown =
    given.kind === 'finite'
      ? notation(c, given, type, precise === undefined ? undefined : Number(precise))
      : undefined;
  const isNegative =
    given.sign < 0 &&
    !(z !== undefined && shown !== undefined && !/[1-9]/.test(shown.whole + shown.fraction));
  const head = isNegative ? '-' : sign === '-' ? '' : sign;
  const tail =
    shown === undefined ? '' : (shown.fraction === '' ? '' : `.${shown.fraction}`) + shown.end;
  const whole = shown?.whole ?? `${specialText(given)}${type === '%' ? '%' : ''}`;
  const least = isZeroPadded && shown !== undefined ? width - head.length - tail.length : 0;
  const body =
    (comma === undefined || shown === undefined
      ? whole.padStart(least, '0')
      : grouped(whole, least)) + tail;
  return filled(head, body, { fill: filler ?? ' ', align: alignment ?? '>', width });
}

type Notation = { readonly whole: string; readonly fraction: string; readonly end: string };

function signText(d: Dec): string {
  return d.sign < 0 ? '-' : '';
}

function specialText(d: Dec): string {
  if (d.kind === 'infinite') return 'Infinity';
  return `${d.kind === 'snan' ? 's' : ''}NaN${d.coefficient === 0n ? '' : d.coefficient.toString()}`;
}

/** The digits before and after the point, which stands after `place` digits. */
function pointed(digits: string, place: number): readonly [string, string] {
  payForText(Math.abs(place) + digits.length);
  if (place <= 0) return ['0', '0'.repeat(-place) + digits];
  return place >= digits.length
    ? [digits + '0'.repeat(place - digits.length), '']
    : [digits.slice(0, place), digits.slice(place)];
}

function exponentText(n: number, letter: string, isAlways: boolean): string {
  return n === 0 && !isAlways ? '' : `${letter}${n < 0 ? '-' : '+'}${Math.abs(n)}`;
}

/** The digits of a finite number in the notation of a format type. */
function notation(
  c: DecimalContext,
  given: Dec,
  type: string,
  precision: number | undefined,
): Notation {
  const percent = type === '%';
  const isFixed = type === 'f' || type === 'F' || percent;
  const isExponential = type === 'e' || type === 'E';
  let d: Dec = percent ? { ...given, exponent: given.exponent + 2 } : given;
  if (precision !== undefined)
    d = cut(c, d, isFixed ? 'fixed' : isExponential ? 'exponential' : 'general', precision);
  if (isFixed && d.coefficient === 0n && d.exponent > 0) d = isFiniteDecimal(d.sign, 0n, 0);
  const digits = d.coefficient.toString();
  const left = d.exponent + digits.length;
  let place = 1;
  if (isFixed || (!isExponential && d.exponent <= 0 && left > -6)) place = left;
  else if (isExponential && d.coefficient === 0n && precision !== undefined) place = 1 - precision;
  const [whole, fraction] = pointed(digits, place);
  const letter = type === 'e' || type === 'g' || type === 'n' ? 'e' : 'E';
  const end = isFixed ? '' : exponentText(left - place, letter, isExponential);
  return { whole, fraction, end: end + (percent ? '%' : '') };
}

function cut(
  c: DecimalContext,
  d: Dec,
  notationOf: 'fixed' | 'exponential' | 'general',
  precision: number,
): Dec {
  if (notationOf === 'fixed') return rescaled(d, -precision, c.rounding).value;
  const places = notationOf === 'exponential' ? precision + 1 : Math.max(precision, 1);
  const length = digitsIn(d.coefficient);
  if (d.coefficient === 0n)
    return notationOf === 'exponential' ? isFiniteDecimal(d.sign, 0n, d.exponent) : d;
  if (notationOf === 'general' && length <= places) return d;
  const { value } = rescaled(d, d.exponent + length - places, c.rounding);
  return digitsIn(value.coefficient) > places
    ? isFiniteDecimal(value.sign, value.coefficient / 10n, value.exponent + 1)
    : value;
}

/** Digits in groups of three, padded with zeros to a length. */
function grouped(whole: string, least: number): string {
  let digits = whole;
  const shown = (): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  while (shown().length < least) digits = `0${digits}`;
  return shown();
}

function filled(
  head: string,
  body: string,
  { fill, align, width }: { fill: string; align: string; width: number },
): string {
  const gap = Math.max(0, width - head.length - body.length);
  if (align === '=') return head + fill.repeat(gap) + body;
  const left = align === '<' ? 0 : align === '^' ? gap >> 1 : gap;
  return fill.repeat(left) + head + body + fill.repeat(gap - left);
}
