import { raise } from '../errors.ts';
import { payForText } from './size.ts';
import { truncated } from '../builtins/numbers/operations.ts';
import { PyDict } from '../objects/collections/dict.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyList } from '../objects/collections/list.ts';
import {
  asFloat,
  asIndex,
  asInt,
  float,
  indexOf,
  intText,
  toDouble,
} from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import { PyRange } from '../objects/collections/range.ts';
import type { Value } from '../objects/object.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { format } from './format.ts';
import { asciiText, repr, str } from './repr.ts';

const FIELD = /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([hlL])?(.)?/gs;

/** `text % values`. @throws TypeError, ValueError, KeyError */
export function percentFormat(text: string, values: Value): string {
  const queue = values instanceof PyTuple ? [...values.items] : [values];
  const mapping = isMapping(values) ? values : undefined;
  const next = (): Value => {
    const value = queue.shift();
    return value === undefined
      ? raise('TypeError', 'not enough arguments for format string')
      : value;
  };
  const result = text.replace(
    FIELD,
    (
      whole,
      key: string | undefined,
      flags: string,
      width: string | undefined,
      precision: string | undefined,
      _size,
      type: string | undefined,
      at: number,
    ) => {
      if (type === undefined) raise('ValueError', 'incomplete format');
      if (type === '%') return '%';
      const wide = width === '*' ? indexOf(next(), '* wants int') : Number(width ?? 0);
      const hasPrecision = /\.(\*|\d+)?[hlL]?.$/s.test(whole);
      const places = hasPrecision
        ? precision === '*'
          ? indexOf(next(), '* wants int')
          : Number(precision ?? 0)
        : undefined;
      const value = key === undefined ? next() : keyed(mapping, key);
      return field({ value, flags, width: wide, places, type, at: at + whole.length - 1 });
    },
  );
  if (queue.length > 0 && mapping === undefined)
    raise('TypeError', 'not all arguments converted during string formatting');
  payForText(result.length);
  return result;
}

type Field = {
  readonly value: Value;
  readonly flags: string;
  readonly width: number;
  readonly places: number | undefined;
  readonly type: string;
  readonly at: number;
};

/**
 * What `%` accepts as a mapping: anything with subscripts except texts and tuples. It may stay
 * unused.
 */
function isMapping(v: Value): v is PyObject {
  if (!(v instanceof PyObject) || v instanceof PyTuple) return false;
  if (v instanceof PyInstance) return v.cls.lookup('__getitem__') !== undefined;
  return (
    v instanceof PyDict || v instanceof PyList || v instanceof PyRange || v.cls.label === 're.Match'
  );
}

function keyed(mapping: PyObject | undefined, key: string): Value {
  return mapping === undefined
    ? raise('TypeError', 'format requires a mapping')
    : mapping.item(key);
}

/** One `%` field, by the format specification with the same meaning. */
function field({ value, flags, width, places, type, at }: Field): string {
  const left = flags.includes('-') || width < 0;
  const size = Math.abs(width);
  payForText(size);
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const precision = places === undefined ? '' : `.${Math.max(0, places)}`;
  const side = `${left ? '<' : '>'}${size}`;
  const style = { sign, size, left, zero: flags.includes('0') && !left, places: places ?? 1 };
  const hash = flags.includes('#');
  if (type === 's') return format(str(value), side + precision);
  if (type === 'r') return format(repr(value), side + precision);
  if (type === 'a') return format(asciiText(value), side + precision);
  if (type === 'c') return format(characterOf(value), side);
  if ('diu'.includes(type)) return wholeText(intText(whole(value, type)), '', style);
  if ('xXo'.includes(type))
    return wholeText(format(whole(value, type), type), hash ? `0${type}` : '', style);
  if ('eEfFgG'.includes(type)) {
    const fill = left ? '<' : style.zero ? '0=' : '>';
    return format(real(value), `${fill}${sign}${hash ? '#' : ''}${size}${precision}${type}`);
  }
  const code = type.charCodeAt(0).toString(16);
  return raise('ValueError', `unsupported format character '${type}' (0x${code}) at index ${at}`);
}

/** `%c`: a character or its number. @throws TypeError, OverflowError */
function characterOf(value: Value): string {
  if (typeof value === 'string' && Array.from(value).length === 1) return value;
  const n = typeof value === 'string' ? undefined : asIndex(value);
  if (n === undefined) return raise('TypeError', '%c requires int or char');
  return n >= 0 && n <= 0x10ffff
    ? String.fromCodePoint(Number(n))
    : raise('OverflowError', '%c arg not in range(0x110000)');
}

/** `%d`, `%x` and the like: sign, prefix, at least `places` digits, then the width. */
function wholeText(
  text: string,
  prefix: string,
  style: { sign: string; size: number; left: boolean; zero: boolean; places: number },
): string {
  payForText(style.places);
  const sign = (text.startsWith('-') ? '-' : style.sign) + prefix;
  const digits = text.replace('-', '').padStart(style.places, '0');
  if (style.left) return (sign + digits).padEnd(style.size);
  return style.zero
    ? sign + digits.padStart(style.size - sign.length, '0')
    : (sign + digits).padStart(style.size);
}

function whole(given: Value, type: string): number | bigint {
  // `%d` converts an object as `int()` does.
  const value =
    given instanceof PyInstance && 'diu'.includes(type)
      ? (given.special('__int__') ?? given)
      : given;
  const x = asFloat(value);
  if (x !== undefined && 'diu'.includes(type)) return truncated(x);
  return (
    asIndex(value) ??
    raise(
      'TypeError',
      `%${type} format: ${'diu'.includes(type) ? 'a real number' : 'an integer'} is required, not ${typeName(value)}`,
    )
  );
}

function real(value: Value): Value {
  if (asFloat(value) === undefined && asInt(value) === undefined) return float(toDouble(value));
  toDouble(value);
  return value;
}
