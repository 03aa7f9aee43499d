import { isRecord } from '../../words/record.ts';

/** What every name of CWL begins with in full. */
export const CWL = 'https://w3id.org/cwl/cwl#';

/** A name without a prefix of `$namespaces`, or the one that every document has: `cwl:`. */
export function fullName(name: string, namespaces: unknown): string {
  const colon = name.indexOf(':');
  if (colon === -1) return name;
  const [prefix, rest] = [name.slice(0, colon), name.slice(colon + 1)];
  const own: unknown = isRecord(namespaces) ? namespaces[prefix] : undefined;
  if (typeof own === 'string') return `${own}${rest}`;
  return prefix === 'cwl' ? `${CWL}${rest}` : name;
}

/**
 * A key that interpreters read as one of CWL, though it is not written as one; undefined: there is
 * none. `cwl:tool` would send them to another document, and `cwl:run` is a second `run`.
 */
export function disguisedKey(value: unknown, namespaces?: unknown): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item) => disguisedKey(item, namespaces));
  if (!isRecord(value)) return undefined;
  const known = value['$namespaces'] ?? namespaces;
  return firstOf(Object.entries(value), ([key, inner]) =>
    key.includes(':') && fullName(key, known).startsWith(CWL) ? key : disguisedKey(inner, known),
  );
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
