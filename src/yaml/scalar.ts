import { YamlError } from './error.ts';
import type { Node, Position } from './node.ts';

// YAML 1.2 as ruamel.yaml resolves it: yes/on/off are strings, 010 is ten, 1_000 a thousand.
const INT = /^[-+]?(?:0b_*[01][01_]*|0o?_*[0-7][0-7_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*)$/;
const POINTED = String.raw`[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?`;
const POWER = '[0-9][0-9_]*[eE][-+]?[0-9]+';
// After a fraction that begins with its point, an exponent needs a sign.
const FRACTION = String.raw`\._*[0-9][0-9_]*(?:[eE][-+][0-9]+)?`;
const FLOAT = new RegExp(`^[-+]?(?:${POINTED}|${POWER}|${FRACTION})$`);
const INFINITY = /^[-+]?\.(?:inf|Inf|INF)$/;
const NAN = /^\.(?:nan|NaN|NAN)$/;
const DATE =
  /^\d{4}-(?:\d\d-\d\d|\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;

/** Longest integer, in characters: Python's own limit. */
const LONGEST_INT = 4300;

/** The value of a plain scalar: null, a boolean, a number or a date, else a string. */
export function resolvePlain(text: string, at: Position): Node {
  switch (text) {
    case '':
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return { kind: 'null', at };
    case 'true':
    case 'True':
    case 'TRUE':
      return { kind: 'bool', at, value: true };
    case 'false':
    case 'False':
    case 'FALSE':
      return { kind: 'bool', at, value: false };
    default:
      return resolveNumber(text, at) ?? { kind: 'string', at, value: text, text: at };
  }
}

/** The number or date that a text spells; undefined for other text. */
export function resolveNumber(text: string, at: Position): Node | undefined {
  if (!/^[-+.0-9]/.test(text)) return undefined;
  if (INT.test(text) && text.length <= LONGEST_INT)
    return { kind: 'int', at, value: integer(text) };
  if (FLOAT.test(text)) return { kind: 'float', at, value: Number(text.replaceAll('_', '')) };
  if (INFINITY.test(text))
    return { kind: 'float', at, value: text.startsWith('-') ? -Infinity : Infinity };
  if (NAN.test(text)) return { kind: 'float', at, value: NaN };
  if (DATE.test(text)) return dateNode(text, at);
  return undefined;
}

/**
 * Whether a plain text is read back as the same string. `=` and `<<` have meanings of their own in
 * ruamel.yaml.
 */
export function isPlainString(text: string): boolean {
  return (
    text !== '=' && text !== '<<' && resolvePlain(text, { line: 1, column: 1 }).kind === 'string'
  );
}

function integer(text: string): number | bigint {
  const negative = text.startsWith('-');
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
  // BigInt reads 0b, 0o and 0x, and takes leading zeros as decimal, as YAML 1.2 does.
  const magnitude = BigInt(digits);
  const value = negative ? -magnitude : magnitude;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Throws YamlError for a day outside the calendar, as Python does. */
function dateNode(text: string, at: Position): Node {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (
    text.match(/\d+/g) ?? []
  ).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const isDay = year > 0 && month >= 1 && month <= 12 && day >= 1 && date.getUTCDate() === day;
  if (!isDay || hour > 23 || minute > 59 || second > 59)
    throw new YamlError(
      `${text} looks like a date and is none; in quotes it is text`,
      at.line,
      at.column,
    );
  return { kind: 'date', at, value: text };
}
