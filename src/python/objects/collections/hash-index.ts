import { equals } from '../compare.ts';
import { hash } from '../numbers/hash-of.ts';
import type { Key, Value } from '../object.ts';

/**
 * The elements of a hash table by hash, for tables whose elements of different classes may be equal
 * by `__eq__` and `__hash__`. It may contain keys that have left the table.
 */
export class HashIndex {
  readonly #byHash = new Map<number | bigint, [Key, Value][]>();

  constructor(elements: Iterable<readonly [Key, Value]>) {
    for (const [key, item] of elements) this.add(key, item);
  }
  add(key: Key, item: Value): void {
    const own = hash(item);
    this.#byHash.set(own, [...(this.#byHash.get(own) ?? []), [key, item]]);
  }
  /** The key in the table of an element that equals `item`. */
  find(item: Value, table: ReadonlyMap<Key, unknown>): Key | undefined {
    return this.#byHash
      .get(hash(item))
      ?.find(([key, own]) => table.has(key) && equals(own, item))?.[0];
  }
}
