import type { Entity } from '../entity/entity.ts';
import { KeyIndex } from './key-index.ts';
import type { BrokenKey } from './key-index.ts';

/** Most ids with remembered matches; the largest sites use about 1,500 tools. */
const MOST_REMEMBERED = 2_000;
/** Most distinct lists of matches that keep their number. */
const MOST_NUMBERED = 20_000;

/**
 * All entities whose key matches an id, in the order of the files. Equal lists have the same
 * number.
 */
export type Matching = { readonly entities: readonly Entity[]; readonly number: number };

/** The entities of one kind, found by the patterns of their keys. */
export class Section {
  readonly entities: ReadonlyMap<string, Entity>;
  /** The entity that `default_inherits` names; it lies under every match. */
  readonly fallback: Entity | null;
  readonly #index: KeyIndex<Entity>;
  readonly #matches = new Map<string, Matching>();
  readonly #lists = new Map<string, Matching>();
  #numbered = 0;

  /** The first key that is no regular expression; only a strict load accepts one. */
  get broken(): BrokenKey | null {
    return this.#index.broken;
  }

  constructor(entities: ReadonlyMap<string, Entity>, fallback: Entity | null) {
    this.entities = entities;
    this.fallback = fallback;
    this.#index = new KeyIndex(entities);
  }

  /** All entities whose key matches the start of the id. */
  matching(id: string): Matching {
    const known = this.#matches.get(id);
    if (known !== undefined) return known;
    const found = this.#numberedList(this.#index.matching(id));
    if (this.#matches.size >= MOST_REMEMBERED) this.#matches.clear();
    this.#matches.set(id, found);
    return found;
  }

  #numberedList({
    values,
    positions,
  }: {
    readonly values: readonly Entity[];
    readonly positions: readonly number[];
  }): Matching {
    const key = positions.join(' ');
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = { entities: values, number: this.#numbered };
    this.#numbered += 1;
    if (this.#lists.size >= MOST_NUMBERED) this.#lists.clear();
    this.#lists.set(key, list);
    return list;
  }
}
