/**
 * Numbers values: equal numbers mean that the values are equal, whatever is in them. Lists, maps and
 * plain objects are compared by their contents in their order; functions and all other objects are
 * equal only to themselves.
 */
export function openValueNumbers(): (value: unknown) => number {
  const known = new Map<unknown, number>();
  const contents = new Map<string, number>();
  let count = 0;

  const numberOf = (value: unknown): number => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const own = (count += 1);
    // A value that contains itself meets this number inside.
    known.set(value, own);
    const text = contentsOf(value, numberOf);
    if (text === undefined) return own;
    const number = contents.get(text) ?? own;
    contents.set(text, number);
    known.set(value, number);
    return number;
  };
  return numberOf;
}

/** A text that values share only if they are equal; undefined: the value is equal to itself alone. */
function contentsOf(value: unknown, numberOf: (part: unknown) => number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return `list ${value.map(numberOf).join(' ')}`;
  if (value instanceof Set) return `set ${[...value].map(numberOf).join(' ')}`;
  const isMap = value instanceof Map;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isMap && prototype !== Object.prototype && prototype !== null) return undefined;
  const entries: Iterable<readonly [unknown, unknown]> = isMap ? value : Object.entries(value);
  const parts = [...entries].map(([key, one]) => `${numberOf(key)} ${numberOf(one)}`);
  return `${isMap ? 'map' : 'object'} ${parts.join(' ')}`;
}
