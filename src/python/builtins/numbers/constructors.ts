import { raise } from '../../errors.ts';
import { tick } from '../../meter.ts';
import { PyBytes } from '../../objects/collections/bytes.ts';
import { PyInstance } from '../../objects/classes/instance.ts';
import {
  asFloat,
  asInt,
  asNumber,
  float,
  indexOf,
  integer,
  toDouble,
} from '../../objects/numbers/number.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { typeName, types } from '../../objects/types.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { truthy } from '../../objects/compare.ts';
import { SPACES } from '../../text/characters.ts';
import { asciiDigits } from '../../text/ascii-digits.ts';
import { repr } from '../../text/repr.ts';
import { truncated } from './operations.ts';
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

const INTEGER = new RegExp(
  `^[${SPACES}]*([+-]?)(0[xXoObB])?_?([0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*)[${SPACES}]*$`,
  'u',
);
const AROUND = new RegExp(`^[${SPACES}]+|[${SPACES}]+$`, 'gu');

const FLOAT =
  /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?|inf(?:inity)?|nan)$/i;

types.int.create = (_cls, args, kwargs) => makeInt(args, kwargs);
types.bool.create = (_cls, args) => (args[0] === undefined ? false : truthy(args[0]));
types.float.create = (_cls, args) => makeFloat(args);

function makeInt(args: readonly Value[], kwargs: Kwargs | undefined): Value {
  const [value = 0] = args;
  const base = args.length > 1 ? args[1] : kwargs?.get('base');
  if (args.length > 2) raise('TypeError', `int() takes at most 2 arguments (${args.length} given)`);
  if (base !== undefined) {
    const radix = indexOf(base);
    if (radix !== 0 && (radix < 2 || radix > 36))
      raise('ValueError', 'int() base must be >= 2 and <= 36, or 0');
    const digits = textOf(value);
    return digits === undefined
      ? raise('TypeError', "int() can't convert non-string with explicit base")
      : parseInteger(digits, radix, value);
  }
  const digits = textOf(value);
  if (digits !== undefined) return parseInteger(digits, 10, value);
  const n = asInt(value);
  if (n !== undefined) return n;
  const x = asFloat(value);
  if (x !== undefined) return truncated(x);
  const index = value instanceof PyObject ? value.index() : undefined;
  if (index !== undefined && !(value instanceof PyInstance)) return index;
  const own =
    value instanceof PyInstance
      ? (value.special('__int__') ?? value.special('__index__'))
      : undefined;
  const method =
    value instanceof PyObject && !(value instanceof PyClass)
      ? value.cls.lookupFor(value, '__int__')
      : undefined;
  return (
    own ??
    (method instanceof PyObject ? method.call([]) : undefined) ??
    raise(
      'TypeError',
      `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
    )
  );
}

/** Bytes count as the text of their characters. */
function textOf(v: Value): string | undefined {
  return v instanceof PyBytes ? v.latin : typeof v === 'string' ? v : undefined;
}

function parseInteger(given: string, base: number, shown: Value): number | bigint {
  const text = asciiDigits(given);
  const bad = (): never =>
    raise('ValueError', `invalid literal for int() with base ${base}: ${repr(shown)}`);
  const [, sign = '', prefix, body = ''] = INTEGER.exec(text) ?? bad();
  const implied = { x: 16, o: 8, b: 2 }[prefix?.slice(1).toLowerCase() ?? ''];
  const isPrefixed = implied !== undefined && (base === 0 || base === implied);
  const radix = base === 0 ? (implied ?? 10) : base;
  const digits = (isPrefixed ? body : `${prefix ?? ''}${body}`).replaceAll('_', '').toLowerCase();
  if (base === 0 && implied === undefined && /^0+[1-9]/.test(digits)) bad();
  if (digits.length > 4300 && ![2, 4, 8, 16, 32].includes(radix)) {
    raise(
      'ValueError',
      `Exceeds the limit (4300 digits) for integer string conversion: value has ${digits.length} digits; ` +
        'use sys.set_int_max_str_digits() to increase the limit',
    );
  }
  if (digits.length > 60_000) raise('OverflowError', 'int too large');
  tick(digits.length >> 2);
  let value = 0n;
  for (const digit of digits) {
    const n = DIGITS.indexOf(digit);
    if (n < 0 || n >= radix) bad();
    value = value * BigInt(radix) + BigInt(n);
  }
  return integer(sign === '-' ? -value : value);
}

function makeFloat(args: readonly Value[]): Value {
  const [value = 0] = args;
  if (args.length > 1) raise('TypeError', `float expected at most 1 argument, got ${args.length}`);
  const given = textOf(value);
  if (given !== undefined) {
    const text = asciiDigits(given).replace(AROUND, '');
    if (!FLOAT.test(text)) raise('ValueError', `could not convert string to float: ${repr(value)}`);
    const [word = ''] = /inf|nan/i.exec(text) ?? [];
    if (word.toLowerCase() === 'nan') return float(Number.NaN);
    if (word !== '') return text.startsWith('-') ? -Infinity : Infinity;
    return float(Number(text.replaceAll('_', '')));
  }
  if (asNumber(value) !== undefined) return float(toDouble(value));
  const own = value instanceof PyInstance ? value.special('__float__') : undefined;
  const index = own === undefined && value instanceof PyInstance ? value.index() : undefined;
  if (index !== undefined) return float(toDouble(index));
  return (
    own ??
    raise(
      'TypeError',
      `float() argument must be a string or a real number, not '${typeName(value)}'`,
    )
  );
}
