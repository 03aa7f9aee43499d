import type { Entity } from './entity.ts';

/**
 * What has been made of an entity that never changes again, so that the next job with the same
 * tool, user and rules need not make it again. All that comes from one set of rules shares one
 * allowance; when it is used up, nothing more is kept until the roots are dropped.
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

  /** The entity with other amounts and params, which `change` tells apart. */
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

/** How many more entities may be kept. */
export type Allowance = { left: number };

/**
 * Entities kept at one time, of the 64 MB that the isolate has: with the files of usegalaxy.eu they
 * and what hangs on them come to 22 MB, beside 14 MB of rules, when no two jobs are alike.
 */
const MOST_KEPT = 3_000;

/** The entities of a job and what they come to together. */
export type JobEntities = {
  readonly tool: Entity;
  readonly role: Entity | null;
  readonly user: Entity | null;
  readonly combined: Entity;
};

/** Entities that are made of a whole job's tool, role and user: where derivation starts. */
export class Roots {
  #allowance: Allowance = { left: MOST_KEPT };
  #kept = new Map<string, JobEntities>();

  get(key: string): JobEntities | undefined {
    return this.#kept.get(key);
  }

  /**
   * Keep what was found for `key` and settle its entity. Drops
   * everything when too much has been kept.
   */
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
 * Entities of rule files are all settled; nothing is kept with them, since
 * what is kept hangs on a job's own.
 */
export function settleEntity(entity: Entity): void {
  entity.derived = new Derived({ left: 0 });
  for (const rule of entity.rules.values()) if (rule.derived === null) settleEntity(rule);
}
