import { settledEqual } from '../entity/settled-equal.ts';
import type { Entity } from '../entity/entity.ts';

const NO_RULES: ReadonlyMap<string, Entity> = new Map();

/**
 * An entity that rules may come to see: the engine's own until a snippet mentions it, then a copy
 * that the snippet may change. Most snippets mention none.
 */
export class Visible {
  #entity: Entity;
  #isShown = false;

  constructor(entity: Entity) {
    this.#entity = entity;
  }

  /** As it is at the moment. */
  get now(): Entity {
    return this.#entity;
  }

  /** For a snippet to look at and to change. */
  show(): Entity {
    if (!this.#isShown) {
      this.#entity = this.#entity.deepCopy();
      this.#isShown = true;
    }
    return this.#entity;
  }

  /** The same as now, for the engine to go on with: a settled entity if one equals it. */
  equal(): Entity {
    return this.#isShown ? settledEqual(this.#entity) : this.#entity;
  }

  /** The same without its rules, which have been evaluated. */
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
