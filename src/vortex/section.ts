import type { Entity } from './entity.ts';
import { compilePattern } from './pattern.ts';

/** Ids whose matches are remembered; the largest sites have about 1,500 tools in use. */
const MOST_REMEMBERED = 2_000;

/** The entities of one kind with the patterns that their keys are (1.9). */
export class Section {
  readonly entities: ReadonlyMap<string, Entity>;
  /** What `default_inherits` names; laid under every match. */
  readonly fallback: Entity | null;
  readonly #patterns: readonly { readonly pattern: RegExp; readonly entity: Entity }[];
  readonly #matches = new Map<string, readonly Entity[]>();

  constructor(entities: ReadonlyMap<string, Entity>, fallback: Entity | null) {
    this.entities = entities;
    this.fallback = fallback;
    this.#patterns = [...entities].map(([key, entity]) => ({ pattern: compilePattern(key), entity }));
  }

  /** All entities whose key matches at the start of the id, in the order of the files. */
  matching(id: string): readonly Entity[] {
    const known = this.#matches.get(id);
    if (known !== undefined) return known;
    const found = this.#patterns.filter(({ pattern }) => matchesAtStart(pattern, id)).map(({ entity }) => entity);
    if (this.#matches.size >= MOST_REMEMBERED) this.#matches.clear();
    this.#matches.set(id, found);
    return found;
  }
}

function matchesAtStart(pattern: RegExp, id: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(id);
}
