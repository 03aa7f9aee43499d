import { MAX_DEPTH } from './reader.ts';
import { raise } from '../../errors.ts';
import { payForText } from '../../text/size.ts';
import { tick } from '../../meter.ts';
import { truthy, sorted } from '../../objects/compare.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyList } from '../../objects/collections/list.ts';
import { PyFloat, asInt } from '../../objects/numbers/number.ts';
import { underlyingOf } from '../../objects/object.ts';
import { typeName, typeOf } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { call } from '../../objects/protocol.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { floatText } from '../../text/float.ts';
import { repr } from '../../text/repr.ts';

type Style = {
  readonly indent: string | undefined;
  readonly comma: string;
  readonly colon: string;
  readonly sort: boolean;
  readonly ascii: boolean;
  readonly fallback: Value;
  /** Skip keys that JSON cannot express. */
  readonly skip: boolean;
  /** Write NaN and infinities, which are no JSON. */
  readonly nan: boolean;
};

export function dumped(given: Value, style: Style, depth: number): string {
  tick(1);
  const v = underlyingOf(given);
  if (depth > MAX_DEPTH) raise('ValueError', 'Circular reference detected, or nested too deep');
  if (typeof v === 'string') return quoted(v, style.ascii);
  const plain = scalar(v);
  if (!style.nan && /^-?[NI]/.test(plain ?? ''))
    raise('ValueError', 'Out of range float values are not JSON compliant');
  if (plain !== undefined) return plain;
  const wrap = (open: string, parts: readonly string[], close: string): string => {
    if (parts.length === 0) return open + close;
    const [before, after] =
      style.indent === undefined
        ? ['', '']
        : [`\n${style.indent.repeat(depth + 1)}`, `\n${style.indent.repeat(depth)}`];
    const text =
      open +
      before +
      parts.join(style.indent === undefined ? style.comma : `${style.comma}${before}`) +
      after +
      close;
    payForText(text.length);
    return text;
  };
  if (v instanceof PyList || v instanceof PyTuple)
    return wrap(
      '[',
      v.items.map((item) => dumped(item, style, depth + 1)),
      ']',
    );
  if (v instanceof PyDict) {
    const all = style.sort ? sorted(v.keys(), undefined, false) : v.keys();
    const keys = style.skip
      ? all.filter((key) => typeof key === 'string' || scalar(key) !== undefined)
      : all;
    return wrap(
      '{',
      keys.map(
        (key) =>
          `${quoted(keyName(key), style.ascii)}${style.colon}${dumped(v.get(key) ?? null, style, depth + 1)}`,
      ),
      '}',
    );
  }
  if (style.fallback !== null) return dumped(call(style.fallback, [v]), style, depth + 1);
  return raise('TypeError', `Object of type ${typeOf(v).name} is not JSON serializable`);
}

export function styleOf(
  indent: Value | undefined,
  separators: Value | undefined,
  sort: Value | undefined,
  ascii: Value | undefined,
  fallback: Value | undefined,
): Style {
  const n = indent === undefined || indent === null ? undefined : (asInt(indent) ?? indent);
  if (typeof n === 'number') payForText(n);
  if (n !== undefined && typeof n !== 'string' && asInt(n) === undefined)
    raise('TypeError', `can't multiply sequence by non-int of type '${typeName(n)}'`);
  const text =
    n === undefined ? undefined : typeof n === 'string' ? n : ' '.repeat(Math.max(0, Number(n)));
  const [comma, colon] =
    separators instanceof PyTuple || separators instanceof PyList ? separators.items : [];
  return {
    indent: text,
    comma: typeof comma === 'string' ? comma : text === undefined ? ', ' : ',',
    colon: typeof colon === 'string' ? colon : ': ',
    sort: sort !== undefined && truthy(sort),
    ascii: ascii === undefined || truthy(ascii),
    fallback: fallback ?? null,
    skip: false,
    nan: true,
  };
}

function quoted(text: string, ascii: boolean): string {
  tick(text.length >> 4);
  const json = JSON.stringify(text);
  return ascii
    ? json.replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;
}

function scalar(v: Value): string | undefined {
  if (v === null) return 'null';
  if (typeof v === 'boolean') return String(v);
  if (asInt(v) !== undefined) return repr(v);
  const x = v instanceof PyFloat ? v.v : typeof v === 'number' ? v : undefined;
  if (x === undefined) return undefined;
  return Number.isFinite(x)
    ? floatText(x)
    : Number.isNaN(x)
      ? 'NaN'
      : x > 0
        ? 'Infinity'
        : '-Infinity';
}

function keyName(given: Value): string {
  const key = underlyingOf(given);
  if (typeof key === 'string') return key;
  return (
    scalar(key) ??
    raise('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`)
  );
}
