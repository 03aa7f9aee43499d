import {
  asNumber,
  float,
  nativeFunction,
  PyFloat,
  PyList,
  PyModule,
  PyTuple,
  raise,
  repr,
  str,
  truthy,
} from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { fixedText } from '../../python/text/float.ts';
import { bunchClass } from './bunch.ts';

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'on', 'y', 't', '1']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'off', 'n', 'f', '0']);
const SHORT_YES: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const;

const bunch = new PyModule('galaxy.util.bunch', [['Bunch', bunchClass]]);

const util = new PyModule('galaxy.util', [
  ['asbool', nativeFunction('asbool(obj)', (value = null) => asBool(value))],
  [
    'listify',
    nativeFunction('listify(item, do_strip=)', (item = null, strips = false) =>
      listed(item, strips === true),
    ),
  ],
  [
    'string_as_bool',
    nativeFunction('string_as_bool(string)', (text = null) =>
      SHORT_YES.has(str(text).toLowerCase()),
    ),
  ],
  [
    'unicodify',
    nativeFunction(
      'unicodify(value, encoding=, error=, strip_null=, log_exception=)',
      (value = null) => (value === null ? null : str(value)),
    ),
  ],
  ['nice_size', nativeFunction('nice_size(size)', (size = null) => niceSize(size))],
  ['bunch', bunch],
]);

/** `galaxy.util` and its Bunch, as far as rules use them. */
export const utilModules: readonly PyModule[] = [util, bunch];

/** `galaxy.util.asbool`, Galaxy's reading of its options. */
function asBool(value: Value): boolean {
  if (typeof value !== 'string') return truthy(value);
  const word = value.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : raise('ValueError', `String is not true/false: ${repr(word)}`);
}

/** `galaxy.util.listify`: a list of its own, text split at commas, anything else the only item. */
function listed(item: Value, strips: boolean): Value {
  if (!truthy(item)) return new PyList([]);
  if (item instanceof PyList || item instanceof PyTuple) return new PyList([...item.items]);
  if (typeof item !== 'string' || !item.includes(',')) return new PyList([item]);
  return new PyList(item.split(',').map((part) => (strips ? part.trim() : part)));
}

/** `galaxy.util.nice_size` of bytes: `9.8 KB`, in powers of 1024. */
function niceSize(size: Value): string {
  const number =
    typeof size === 'string'
      ? Number(size)
      : asNumber(size instanceof PyFloat ? size : float(Number(str(size))));
  if (number === undefined || Number.isNaN(number)) return '??? bytes';
  const bytes = Math.abs(number);
  const at = UNITS.findIndex((_unit, index) => 1024 ** (index + 1) > bytes);
  const unit = UNITS[at];
  if (unit === undefined) return '??? bytes';
  const sign = number < 0 ? '-' : '';
  return unit === 'bytes'
    ? `${sign}${Math.trunc(bytes)} bytes`
    : `${sign}${fixedText(bytes / 1024 ** at, 1)} ${unit}`;
}
