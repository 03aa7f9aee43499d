import { dump } from 'js-yaml';

const LINE_WIDTH = 120;
const OPTIONS = { lineWidth: LINE_WIDTH, noRefs: true };
/** js-yaml folds no text of this length, however deep it stands. */
const NEVER_FOLDED = 40;

/** Written without quotes: our identifiers and plain URLs, which are new in every answer. */
const PLAIN = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|https?:\/\/[\w.:/-]*[\w/])$/;
/** Quoted, because YAML would read it as a timestamp. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const PRINTABLE = /^[ -~]*$/;

const LONGEST_SCALAR = 500;
const MOST_SCALARS = 5000;
/** The other texts are mostly the same in all answers. */
const scalars = new Map<string, string>();

const lines: string[] = [];

/**
 * Thrown for a value that is written differently in different places: it is folded, has lines, or
 * is not plain data.
 */
class PlaceMatters extends Error {}

type Collection = readonly unknown[] | { readonly [key: string]: unknown };

/**
 * Writes an answer in YAML exactly as js-yaml does, at a fraction of the cost. The short texts of
 * answers are mostly the same, so js-yaml writes only new ones. It writes the whole answer when a
 * text has lines or must be folded.
 */
export function writeYaml(document: object): string {
  try {
    return `${itemOf(document, 0)}\n`;
  } catch (error) {
    if (!(error instanceof PlaceMatters)) throw error;
    return dump(document, OPTIONS);
  }
}

function itemOf(value: unknown, level: number): string {
  return isCollection(value) ? (blockOf(value, level) ?? emptyOf(value)) : scalarOf(value, level);
}

function emptyOf(value: Collection): string {
  return isList(value) ? '[]' : '{}';
}

/** Narrows, as `Array.isArray` does not for lists that are read only. */
function isList(value: Collection): value is readonly unknown[] {
  return Array.isArray(value);
}

function isCollection(value: unknown): value is Collection {
  return (
    typeof value === 'object' &&
    value !== null &&
    (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
  );
}

/**
 * A list or mapping whose first line stands in place and the others at its level; undefined when it
 * is empty.
 */
function blockOf(value: Collection, level: number): string | undefined {
  const next = lineAt(level);
  // One growing text: joined lines would be copied once for each level.
  let block: string | undefined;
  if (isList(value))
    for (const item of value)
      block = `${block === undefined ? '- ' : `${block}${next}- `}${itemOf(item ?? null, level + 1)}`;
  else
    for (const key of Object.keys(value)) {
      const one = value[key];
      if (one === undefined) continue;
      const start = block === undefined ? textOf(key) : block + next + textOf(key);
      block = `${start}:${entryOf(one, level + 1)}`;
    }
  return block;
}

/** The end of a line and the indent of the next one. */
function lineAt(level: number): string {
  return (lines[level] ??= `\n${'  '.repeat(level)}`);
}

function textOf(text: string): string {
  const known = scalars.get(text);
  if (known !== undefined) return known;
  if (PLAIN.test(text)) return text;
  if (INSTANT.test(text)) return `'${text}'`;
  if (text.length > LONGEST_SCALAR || text.includes('\n')) throw new PlaceMatters();
  if (isSentence(text)) return `'${text.replaceAll("'", "''")}'`;
  // In a list, because `---` has a meaning at the beginning of a document; not folded, because
  // folding is checked elsewhere.
  const written = dump([text], { lineWidth: -1 }).slice(2, -1);
  if (scalars.size >= MOST_SCALARS) scalars.clear();
  scalars.set(text, written);
  return written;
}

/**
 * Quoted, because YAML would read it as a mapping: the text of a reason (`d1: Its limit is …`),
 * which is new in every NO.
 */
function isSentence(text: string): boolean {
  return text.includes(': ') && PRINTABLE.test(text);
}

function entryOf(value: unknown, level: number): string {
  if (!isCollection(value)) return ` ${scalarOf(value, level)}`;
  const block = blockOf(value, level);
  return block === undefined ? ` ${emptyOf(value)}` : lineAt(level) + block;
}

function scalarOf(value: unknown, level: number): string {
  switch (typeof value) {
    case 'string': {
      const isLong = value.length > Math.max(NEVER_FOLDED, LINE_WIDTH - 2 * level);
      if (isLong && value.includes(' ')) throw new PlaceMatters();
      return textOf(value);
    }
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? String(value)
        : dump([value]).slice(2, -1);
    default:
      if (value === null) return 'null';
      throw new PlaceMatters();
  }
}
