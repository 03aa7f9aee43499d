import type { Entity } from '../entity/entity.ts';

const copies = new WeakMap<Entity, Entity>();

/**
 * A loaded destination for a rank function, which may change what it ranks. One that no rule has
 * changed is given out again: most functions only look. With the dict of `mapper.ts` and remembered
 * scores this is 4 of 63 µs of a decision.
 */
export function candidateOf(destination: Entity): Entity {
  const known = copies.get(destination);
  if (known !== undefined) return known;
  const copy = destination.deepCopy();
  copy.onChange = () => {
    if (copies.get(destination) === copy) copies.delete(destination);
  };
  copies.set(destination, copy);
  return copy;
}
