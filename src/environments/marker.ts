import { parse as parseVersion } from '@renovatebot/pep440';
import { normalisedName } from './normalised-name.ts';
import { isAmong } from './versions.ts';

/** A condition of a requirement (PEP 508), such as `python_version < "3.11"`. */
export type Marker =
  | { readonly kind: 'and' | 'or'; readonly all: readonly Marker[] }
  | {
      readonly kind: 'compare';
      readonly left: Operand;
      readonly operator: string;
      readonly right: Operand;
    };

/** What markers ask about, such as `sys_platform`, in one environment. */
export type MarkerValues = Readonly<Record<string, string>>;

type Operand = { readonly variable: string } | { readonly text: string };

/** The variables of PEP 508; `extra` is that of the requirement that brought the marker. */
export const MARKER_VARIABLES: readonly string[] = [
  'os_name',
  'sys_platform',
  'platform_machine',
  'platform_python_implementation',
  'platform_release',
  'platform_system',
  'platform_version',
  'python_version',
  'python_full_version',
  'implementation_name',
  'implementation_version',
];

/** Parses a marker; undefined: it is none. */
export function parseMarker(text: string): Marker | undefined {
  const words = [...text.matchAll(WORD)].map(([word]) => word);
  if (words.join('') !== text.replaceAll(OUTSIDE, '$1') || words.length > MOST_WORDS)
    return undefined;
  const reading = { words, at: 0 };
  const marker = readAny(reading);
  return reading.at === words.length ? marker : undefined;
}

/** Does a marker hold? @param extra the extra for which its requirement is asked; '' for none */
export function holds(marker: Marker, values: MarkerValues, extra = ''): boolean {
  switch (marker.kind) {
    case 'and':
      return marker.all.every((one) => holds(one, values, extra));
    case 'or':
      return marker.all.some((one) => holds(one, values, extra));
    case 'compare': {
      const { left, operator, right } = marker;
      const isExtra = [left, right].some((one) => 'variable' in one && one.variable === 'extra');
      const valueOf = (operand: Operand): string => {
        if ('variable' in operand && !isExtra) return values[operand.variable] ?? '';
        return 'text' in operand ? operand.text : extra;
      };
      return isExtra
        ? compared(normalisedName(valueOf(left)), operator, normalisedName(valueOf(right)))
        : compared(valueOf(left), operator, valueOf(right));
    }
    default:
      return marker satisfies never;
  }
}

/** The normalised names of the extras that a marker asks about, each once. */
export function extrasIn(marker: Marker): ReadonlySet<string> {
  if (marker.kind !== 'compare') return new Set(marker.all.flatMap((one) => [...extrasIn(one)]));
  const { left, right } = marker;
  const isOfExtra = [left, right].some((one) => 'variable' in one && one.variable === 'extra');
  const texts = [left, right].flatMap((one) => ('text' in one ? normalisedName(one.text) : []));
  return new Set(isOfExtra ? texts : []);
}

const MOST_WORDS = 500;
const WORD = /'[^']*'|"[^"]*"|\(|\)|[<>=!~]+|[\w.]+/g;
/** White space outside quotes. */
const OUTSIDE = /('[^']*'|"[^"]*")|\s+/g;
const OPERATOR = /^(?:<=?|>=?|===?|!=|~=|in|not)$/;

type Reading = { readonly words: readonly string[]; at: number };

function readAny(reading: Reading): Marker | undefined {
  return readJoined(reading, 'or', (inner) => readJoined(inner, 'and', readOne));
}

function readJoined(
  reading: Reading,
  kind: 'and' | 'or',
  readPart: (reading: Reading) => Marker | undefined,
): Marker | undefined {
  const all: Marker[] = [];
  do {
    const part = readPart(reading);
    if (part === undefined) return undefined;
    all.push(part);
  } while (accepted(reading, kind));
  const [only] = all;
  return all.length === 1 ? only : { kind, all };
}

function readOne(reading: Reading): Marker | undefined {
  if (accepted(reading, '(')) {
    const inner = readAny(reading);
    return accepted(reading, ')') ? inner : undefined;
  }
  const left = readOperand(reading);
  const operator = readOperator(reading);
  const right = readOperand(reading);
  return left === undefined || operator === undefined || right === undefined
    ? undefined
    : { kind: 'compare', left, operator, right };
}

function readOperator(reading: Reading): string | undefined {
  const word = next(reading) ?? '';
  if (!OPERATOR.test(word)) return undefined;
  if (word !== 'not') return word;
  return accepted(reading, 'in') ? 'not in' : undefined;
}

function readOperand(reading: Reading): Operand | undefined {
  const word = next(reading) ?? '';
  if (/^['"]/.test(word)) return { text: word.slice(1, -1) };
  // The names of setuptools before PEP 508, which files still have.
  const variable = word
    .replace(/^(os|sys|platform)\./, '$1_')
    .replace(/^python_impl.*/, IMPLEMENTED);
  return variable === 'extra' || MARKER_VARIABLES.includes(variable) ? { variable } : undefined;
}

const IMPLEMENTED = 'platform_python_implementation';

function next(reading: Reading): string | undefined {
  const word = reading.words[reading.at];
  reading.at += 1;
  return word;
}

function accepted(reading: Reading, word: string): boolean {
  if (reading.words[reading.at] !== word) return false;
  reading.at += 1;
  return true;
}

/** Versions compare as versions, other texts as texts (PEP 508). */
function compared(left: string, operator: string, right: string): boolean {
  if (operator === 'in') return right.includes(left);
  if (operator === 'not in') return !right.includes(left);
  if (parseVersion(left) !== null && isSpecifier(`${operator}${right}`))
    return isAmong(left, `${operator}${right}`);
  switch (operator) {
    case '==':
    case '===':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return false;
  }
}

function isSpecifier(text: string): boolean {
  return /^(?:<=?|>=?|===?|!=|~=)\s*\d/.test(text);
}
