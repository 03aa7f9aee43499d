import type { Entity } from '../entity/entity.ts';
import { KeyIndex } from './key-index.ts';
import type { BrokenKey } from './key-index.ts';

/** Ids whose matches are remembered; the largest sites have about 1,500 tools in use. */
const MOST_REMEMBERED = 2_000;
/** Distinct lists of matches that keep their number: one for every key and its overlaps. */
const MOST_NUMBERED = 20_000;

/**
 * All entities whose key matches an id, in the order of the files; the
 * same list has the same number.
 */
export type Matching = { readonly entities: readonly Entity[]; readonly number: number };

/** The entities of one kind with the patterns that their keys are. */
export class Section {
  readonly entities: ReadonlyMap<string, Entity>;
  /** What `default_inherits` names; laid under every match. */
  readonly fallback: Entity | null;
  readonly #index: KeyIndex<Entity>;
  readonly #matches = new Map<string, Matching>();
  readonly #lists = new Map<string, Matching>();
  #numbered = 0;

  /** The first key that is no regular expression; loaded in strict comparisons only. */
  get broken(): BrokenKey | null {
    return this.#index.broken;
  }

  constructor(entities: ReadonlyMap<string, Entity>, fallback: Entity | null) {
    this.entities = entities;
    this.fallback = fallback;
    this.#index = new KeyIndex(entities);
  }

  /** All entities whose key matches at the start of the id. */
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
