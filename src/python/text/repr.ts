import { raise } from '../errors.ts';
import { meter, tick } from '../meter.ts';
import { intText } from '../objects/numbers/number.ts';
import { PyObject } from '../objects/object.ts';
import type { Value } from '../objects/object.ts';
import { floatText } from './float.ts';

/** Python's `repr(v)`. */
export function repr(v: Value): string {
  if (v === null) return 'None';
  if (v instanceof PyObject) return v.repr();
  switch (typeof v) {
    case 'string':
      return quoted(v);
    case 'boolean':
      return v ? 'True' : 'False';
    case 'bigint':
      return intText(v);
    case 'number':
      return Number.isInteger(v) ? String(v) : floatText(v);
    default:
      return v satisfies never;
  }
}

/** Python's `str(v)`. */
export function str(v: Value): string {
  if (typeof v === 'string') return v;
  return v instanceof PyObject ? v.str() : repr(v);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
};
const UNPRINTABLE = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Python's `ascii(v)`: its repr with all characters beyond ASCII escaped. */
export function asciiText(v: Value): string {
  return repr(v).replace(/[\u0080-\u{10ffff}]/gu, (c) => escapedPoint(c.codePointAt(0) ?? 0));
}

const open = new Set<PyObject>();

/**
 * The text of a container, or `again` when the container contains itself.
 * @throws RecursionError when nested too deep
 */
export function reprInside(container: PyObject, again: string, text: () => string): string {
  if (open.has(container)) return again;
  if (open.size > 200 || meter.depth > 800)
    raise('RecursionError', 'maximum recursion depth exceeded while getting the repr of an object');
  open.add(container);
  try {
    return text();
  } finally {
    open.delete(container);
  }
}

/** A string literal: in single quotes, unless only double ones avoid an escape. */
function quoted(text: string): string {
  tick(text.length >> 6);
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(
    UNPRINTABLE,
    (c) => ESCAPES[c] ?? escapedPoint(c.codePointAt(0) ?? 0),
  );
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function escapedPoint(point: number): string {
  const hex = point.toString(16);
  if (point < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return point < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
