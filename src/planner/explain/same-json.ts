/** Are two JSON values the same, whatever the order of keys? The database changes that order. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ours, theirs] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return (
    ours.size === theirs.size &&
    [...ours].every(([key, value]) => theirs.has(key) && isSameJson(value, theirs.get(key)))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
