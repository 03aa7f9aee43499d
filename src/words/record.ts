/** True for a JSON object: not for null or a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a JSON document holds; undefined if it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a value of a document is, for people: `a list`, `the number 5`. */
export function namedKind(value: unknown): string {
  if (value === null) return 'null';
  if (isRecord(value)) return 'a mapping';
  if (Array.isArray(value)) return 'a list';
  return isNumberOrBoolean(value) ? `the ${typeof value} ${value}` : `a ${typeof value}`;
}

export function isNumberOrBoolean(value: unknown): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}
