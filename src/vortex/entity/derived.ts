import type { Entity } from './entity.ts';

/**
 * Entities made of one that never changes again, so that the next job with the same tool, user and
 * rules need not make them. All that one set of rules derives shares one allowance; when it is used
 * up, nothing more is kept until the roots are dropped.
 */
export class Derived {
  readonly #allowance: Allowance;
  readonly #layered = new Map<Entity, Entity>();
  readonly #placed = new Map<Entity, Entity>();
  readonly #changed = new Map<string, Entity>();
  #withoutRules: Entity | undefined;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** The entity with a rule's layer over it. */
  layered(layer: Entity, make: () => Entity): Entity {
    return this.#once(this.#layered, layer, make);
  }

  /** The entity combined with a destination. */
  placed(destination: Entity, make: () => Entity): Entity {
    return this.#once(this.#placed, destination, make);
  }

  /** The entity with other amounts and params; `change` identifies them. */
  changed(change: string, make: () => Entity): Entity {
    return this.#once(this.#changed, change, make);
  }

  withoutRules(make: () => Entity): Entity {
    return (this.#withoutRules ??= this.#settle(make()));
  }

  #once<K>(table: Map<K, Entity>, key: K, make: () => Entity): Entity {
    const known = table.get(key);
    if (known !== undefined) return known;
    const made = make();
    if (this.#allowance.left > 0) table.set(key, this.#settle(made));
    return made;
  }

  #settle(made: Entity): Entity {
    this.#allowance.left -= 1;
    made.derived = new Derived(this.#allowance);
    return made;
  }
}

/** The number of entities that may still be kept. */
type Allowance = { left: number };

/**
 * Entities kept at one time. With the files of usegalaxy.eu and no two jobs alike, they and all
 * that depends on them take 22 of the 64 MB of the isolate, beside 14 MB of rules.
 */
const MOST_KEPT = 3_000;

/** The entities of a job, and what they make together. */
export type JobEntities = {
  readonly tool: Entity;
  readonly role: Entity | null;
  readonly user: Entity | null;
  readonly combined: Entity;
};

/** The entities of whole jobs, by tool, role and user: derivation starts from them. */
export class Roots {
  #allowance: Allowance = { left: MOST_KEPT };
  #kept = new Map<string, JobEntities>();

  get(key: string): JobEntities | undefined {
    return this.#kept.get(key);
  }

  /** Keep an entry and settle its entity. Drops everything when the allowance is used up. */
  keep(key: string, found: JobEntities): void {
    if (this.#allowance.left <= 0) {
      this.#allowance = { left: MOST_KEPT };
      this.#kept = new Map();
    }
    this.#allowance.left -= 1;
    found.combined.derived = new Derived(this.#allowance);
    this.#kept.set(key, found);
  }
}

/**
 * Settles an entity of the rule files and its rules. Nothing is kept with it: derived entities
 * depend on a job's own entity.
 */
export function settleEntity(entity: Entity): void {
  entity.derived = new Derived({ left: 0 });
  for (const rule of entity.rules.values()) if (rule.derived === null) settleEntity(rule);
}
