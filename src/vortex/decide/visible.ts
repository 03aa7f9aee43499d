import { settledEqual, withParam } from '../entity/settled-equal.ts';
import type { Entity } from '../entity/entity.ts';

const NO_RULES: ReadonlyMap<string, Entity> = new Map();

/**
 * An entity that rules may see: the engine's own until a snippet mentions it, then a copy that the
 * snippet may change. Most snippets mention none.
 */
export class Visible {
  #entity: Entity;
  #isShown = false;

  constructor(entity: Entity) {
    this.#entity = entity;
  }

  get now(): Entity {
    return this.#entity;
  }

  /** The entity for a snippet, which may change it. */
  show(): Entity {
    if (!this.#isShown) {
      this.#entity = this.#entity.deepCopy();
      this.#isShown = true;
    }
    return this.#entity;
  }

  /** Sets a text among the params, if no snippet has seen the entity. Returns whether it did. */
  setParam(key: string, text: string): boolean {
    const changed = this.#isShown ? null : withParam(this.#entity, key, text);
    if (changed !== null) this.#entity = changed;
    return changed !== null;
  }

  /** The entity for the engine to go on with: a settled one that equals it, if there is one. */
  equal(): Entity {
    return this.#isShown ? settledEqual(this.#entity) : this.#entity;
  }

  /** The entity without its rules, once they are evaluated. */
  withoutRules(): Visible {
    const equal = this.equal();
    if (equal.derived === null) {
      this.show().changes();
      this.#entity.rules = NO_RULES;
      return this;
    }
    return new Visible(
      equal.derived.withoutRules(() => {
        const bare = equal.copy();
        bare.rules = NO_RULES;
        return bare;
      }),
    );
  }
}
