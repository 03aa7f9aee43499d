import type { Name } from './tree.ts';

/** Every part of a tree, from the outside in. */
export function* partsWithin(part: unknown): Generator<object> {
  if (typeof part !== 'object' || part === null) return;
  yield part;
  for (const inner of Object.values(part)) yield* partsWithin(inner);
}

/** Whether a part of a tree is of one of these kinds. */
export function isKind(node: object, ...kinds: readonly string[]): boolean {
  return Object.entries(node).some(
    ([name, value]) => name === 'kind' && kinds.some((kind) => kind === value),
  );
}

/** Whether a part of a tree is a name. */
export function isName(node: object): node is Name {
  return isKind(node, 'name');
}
