import { raise } from '../errors.ts';
import { payForText } from './size.ts';
import { asInt, asPlainNumber, bitLength, intText, toDouble } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { exponentText, fixedText, floatText, significant } from './float.ts';
import { str } from './repr.ts';

/**
 * Python's format specification: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
 */
type Spec = {
  readonly fill: string;
  readonly align: '<' | '>' | '^' | '=' | '';
  readonly sign: '+' | '-' | ' ' | '';
  readonly alternate: boolean;
  /** `z`: a result that rounds to zero loses its sign. */
  readonly noNegativeZero: boolean;
  readonly zero: boolean;
  readonly width: number;
  readonly grouping: ',' | '_' | '';
  readonly precision: number | undefined;
  readonly type: string;
};

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?(.)?$/su;
/** The largest C int, CPython's limit; memory ends before. */
const MAX_PRECISION = 0x7fffffff;

/** `format(value, spec)`. @throws ValueError, TypeError */
export function format(value: Value, spec: string): string {
  if (spec === '') return value instanceof PyObject ? value.format(spec) : str(value);
  if (typeof value === 'string') return formatText(value, parseSpec(spec, value), value);
  if (asPlainNumber(value) !== undefined) return formatNumber(value, parseSpec(spec, value));
  return value instanceof PyObject
    ? value.format(spec)
    : raise('TypeError', `unsupported format string passed to ${typeName(value)}.__format__`);
}

const RADIX: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };
type Parts = { readonly negative: boolean; readonly head: string; readonly body: string };

function formatText(text: string, spec: Spec, value: Value): string {
  checkGrouping(spec);
  if (spec.type !== '' && spec.type !== 's') unknownCode(spec.type, value);
  if (spec.sign !== '') raise('ValueError', 'Sign not allowed in string format specifier');
  if (spec.align === '=')
    raise('ValueError', "'=' alignment not allowed in string format specifier");
  if (spec.grouping !== '') raise('ValueError', `Cannot specify '${spec.grouping}' with 's'.`);
  if (spec.alternate)
    raise('ValueError', 'Alternate form (#) not allowed in string format specifier');
  if (spec.noNegativeZero)
    raise('ValueError', 'Negative zero coercion (z) not allowed in string format specifier');
  const shown =
    spec.precision === undefined ? text : Array.from(text).slice(0, spec.precision).join('');
  return padded(shown, spec, spec.align === '' ? '<' : spec.align);
}

/** @throws ValueError for a separator with a type that has no thousands */
function checkGrouping({ grouping, type }: Spec): void {
  const grouped = ['', 'd', 'e', 'E', 'f', 'F', 'g', 'G', '%', ...(grouping === '_' ? 'bxXo' : '')];
  if (grouping !== '' && !grouped.includes(type))
    raise('ValueError', `Cannot specify '${grouping}' with '${type}'.`);
}

function unknownCode(type: string, value: Value): never {
  return raise(
    'ValueError',
    `Unknown format code '${type}' for object of type '${typeName(value)}'`,
  );
}

/** Fills a text up to the width. `head` is a sign or prefix that `=` keeps at the left. */
function padded(text: string, spec: Spec, align: '<' | '>' | '^' | '=', head = ''): string {
  const length = Array.from(head + text).length;
  const gap = spec.width - length;
  if (gap <= 0) return head + text;
  const left = align === '<' ? 0 : align === '^' ? gap >> 1 : gap;
  if (align === '=') return head + spec.fill.repeat(gap) + text;
  return spec.fill.repeat(left) + head + text + spec.fill.repeat(gap - left);
}

/** Reads a format specification. @throws ValueError */
function parseSpec(text: string, owner: Value): Spec {
  const found = SPEC.exec(text);
  if (found === null)
    raise(
      'ValueError',
      `Invalid format specifier '${text}' for object of type '${typeName(owner)}'`,
    );
  const [
    ,
    fill,
    align = '',
    sign = '',
    z,
    alternate,
    zero,
    width = '0',
    grouping = '',
    precision,
    type = '',
  ] = found;
  if (width.length > 9 || (precision?.length ?? 0) > 9)
    raise('ValueError', 'Too many decimal digits in format string');
  payForText(Number(width));
  if (Number(precision ?? 0) > MAX_PRECISION && typeof owner !== 'string')
    raise('ValueError', 'precision too big');
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: pick(align, ['<', '>', '^', '=']),
    sign: pick(sign, ['+', '-', ' ']),
    alternate: alternate !== undefined,
    noNegativeZero: z !== undefined,
    zero: zero !== undefined && fill === undefined,
    width: Number(width),
    grouping: pick(grouping, [',', '_']),
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

function pick<const T extends string>(text: string, of: readonly T[]): T | '' {
  return of.find((candidate) => candidate === text) ?? '';
}

function formatNumber(value: Value, spec: Spec): string {
  checkGrouping(spec);
  const n = asInt(value);
  const isInteger = n !== undefined && ['', 'd', 'b', 'o', 'x', 'X', 'c', 'n'].includes(spec.type);
  const { negative, head, body } = isInteger ? integerParts(n, spec) : floatParts(value, spec);
  const sign = negative ? '-' : spec.sign === '+' || spec.sign === ' ' ? spec.sign : '';
  const align = spec.align === '' ? (spec.zero ? '=' : '>') : spec.align;
  return padded(
    zeroGrouped(body, spec, align, sign.length + head.length),
    spec,
    align,
    sign + head,
  );
}

function integerParts(n: number | bigint, spec: Spec): Parts {
  if (spec.precision !== undefined)
    raise('ValueError', 'Precision not allowed in integer format specifier');
  if (spec.noNegativeZero)
    raise('ValueError', 'Negative zero coercion (z) not allowed in integer format specifier');
  const negative = n < 0;
  const size = negative ? -n : n;
  if (spec.type === 'c') {
    if (spec.sign !== '') raise('ValueError', "Sign not allowed with integer format specifier 'c'");
    if (spec.alternate)
      raise('ValueError', "Alternate form (#) not allowed with integer format specifier 'c'");
    if (negative || size > 0x10ffff) raise('OverflowError', '%c arg not in range(0x110000)');
    return { negative: false, head: '', body: String.fromCodePoint(Number(size)) };
  }
  const radix = RADIX[spec.type];
  if (radix === undefined) return { negative, head: '', body: intText(size) };
  if (bitLength(size) > 60_000) raise('ValueError', 'int too large to format');
  const digits = size.toString(radix);
  return {
    negative,
    head: spec.alternate ? `0${spec.type}` : '',
    body: spec.type === 'X' ? digits.toUpperCase() : digits,
  };
}

function floatParts(value: Value, spec: Spec): Parts {
  const v = toDouble(value);
  const body = floatBody(v, spec, value);
  const isZero =
    spec.noNegativeZero && Number.isFinite(v) && !/[1-9]/.test(body.replace(/e.*/i, ''));
  const negative = (v < 0 || Object.is(v, -0)) && !isZero;
  return { negative, head: '', body: /[EFG]/.test(spec.type) ? body.toUpperCase() : body };
}

/** The digits of |v| in the notation of the type. */
function floatBody(v: number, spec: Spec, value: Value): string {
  if (!['', 'e', 'E', 'f', 'F', 'g', 'G', 'n', '%'].includes(spec.type))
    unknownCode(spec.type, value);
  const percent = spec.type === '%' ? '%' : '';
  if (!Number.isFinite(v)) return (Number.isNaN(v) ? 'nan' : 'inf') + percent;
  const precision = spec.precision ?? 6;
  switch (spec.type) {
    case 'f':
    case 'F':
      return fixedText(v, precision) + (spec.alternate && precision === 0 ? '.' : '');
    case '%':
      return `${fixedText(v * 100, precision)}${spec.alternate && precision === 0 ? '.' : ''}%`;
    case 'e':
    case 'E':
      return exponential(v, precision, spec.alternate);
    case 'g':
    case 'G':
    case 'n':
      return general(v, precision, spec.alternate, 0);
    case '':
      return spec.precision === undefined
        ? shortest(v, spec.alternate)
        : general(v, precision, spec.alternate, 1);
    default:
      return unknownCode(spec.type, value);
  }
}

function exponential(v: number, precision: number, alternate: boolean): string {
  const { digits, exponent } = significant(v, precision + 1);
  const tail = precision > 0 ? `.${digits.slice(1)}` : alternate ? '.' : '';
  return exponentText(
    `${digits.slice(0, 1)}${tail}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`,
  );
}

/**
 * `%g`. `places` is 1 for a bare `.3`, which keeps one digit after the point and so has one less
 * before it.
 */
function general(v: number, wanted: number, alternate: boolean, places: 0 | 1): string {
  const precision = Math.max(wanted, 1);
  const { digits, exponent } = significant(v, precision);
  const trimmed = alternate ? digits : digits.replace(/(?!^)0+$/, '');
  if (exponent < -4 || exponent >= precision - places) {
    const tail = trimmed.length > 1 ? `.${trimmed.slice(1)}` : alternate ? '.' : '';
    return exponentText(
      `${trimmed.slice(0, 1)}${tail}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`,
    );
  }
  const text = fixedText(v, Math.max(0, precision - 1 - exponent));
  const short = alternate
    ? text.includes('.')
      ? text
      : `${text}.`
    : text.includes('.')
      ? text.replace(/\.?0+$/, '')
      : text;
  return places === 1 && !short.includes('.') ? `${short}.0` : short;
}

/** The form of `repr`; with `#` there is always a point. */
function shortest(v: number, alternate: boolean): string {
  const text = floatText(Math.abs(v));
  return alternate && !text.includes('.') ? text.replace('e', '.e') : text;
}

/**
 * Grouping reaches into the zeros that fill the width: `{:08,}` of 1234 is
 * `0,001,234`... as CPython counts it.
 */
function zeroGrouped(body: string, spec: Spec, align: string, taken: number): string {
  if (spec.grouping === '') return body;
  const isRadix = RADIX[spec.type] !== undefined;
  const size = isRadix ? 4 : 3;
  const [digits = ''] = (isRadix ? /^[0-9a-fA-F]*/ : /^[0-9]*/).exec(body) ?? [];
  const rest = body.slice(digits.length);
  let all = digits;
  const grouped = (): string =>
    all.replace(new RegExp(`\\B(?=(?:.{${size}})+$)`, 'g'), spec.grouping);
  if (align === '=' && spec.fill === '0')
    while (taken + grouped().length + rest.length < spec.width) all = `0${all}`;
  return grouped() + rest;
}
