/** A word as /bin/sh reads it back unchanged. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A text of a client as one well-formed line, cut at a length, for records and logs. */
export function oneLine(text: string, longest: number): string {
  return text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, longest)
    .toWellFormed();
}

/** A text of a job or an engine as PostgreSQL keeps it: it knows no NUL and no half characters. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/**
 * What a client wrote, as a short text: a string as it is, and all else as JSON. It throws nothing,
 * also where a mapping has a `toString` of its own.
 */
export function writtenText(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, LONGEST);
  if (typeof value !== 'object' || value === null) return String(value);
  return (JSON.stringify(shortOf(value, DEEPEST)) ?? '').slice(0, LONGEST);
}

/** The longest text that a value becomes. */
const LONGEST = 1000;
const MOST_VALUES = 10;
const DEEPEST = 3;

/** Aliases of YAML make a short document a very long JSON. */
function shortOf(value: unknown, deepest: number): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toJSON();
  if (deepest === 0) return '…';
  if (Array.isArray(value))
    return value.slice(0, MOST_VALUES).map((item: unknown) => shortOf(item, deepest - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_VALUES)
      .map(([key, item]) => [key.slice(0, LONGEST), shortOf(item, deepest - 1)]),
  );
}
