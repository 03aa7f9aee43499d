import type { Entity } from '../entity/entity.ts';
import { inherit } from '../entity/layers.ts';

/** The sections of a rule file that hold entities. */
export const SECTIONS = ['tools', 'roles', 'users', 'destinations', 'pools'] as const;
export type SectionName = (typeof SECTIONS)[number];

/** Entities by id, in the order of the files. */
export type Entities = ReadonlyMap<string, Entity>;

/** `inherits` names an entity that does not exist, or closes a circle. The text is TPV's. */
export class InvalidParent extends Error {
  readonly entity: Entity;

  constructor(message: string, entity: Entity) {
    super(message);
    this.name = 'InvalidParentException';
    this.entity = entity;
  }
}

/**
 * A file's entities over those of the files before. An entity of both moves to the end of the order
 * of matching, after its `inherits` chain is laid under it.
 */
export function mergeSection(prior: Entities, fresh: Entities): Entities {
  const all = new Map([...prior, ...fresh]);
  const merged = new Map(prior);
  for (const [id, entity] of fresh) {
    const before = prior.get(id);
    merged.delete(id);
    merged.set(
      id,
      before === undefined ? entity : inherit(withParents(entity, all, new Set()), before),
    );
  }
  return merged;
}

/**
 * Lay every entity over its parents, in order: each sees the earlier ones completed. Done again
 * after every file.
 */
export function inheritAll(entities: Entities): Entities {
  const result = new Map(entities);
  for (const [id, entity] of entities) result.set(id, withParents(entity, result, new Set()));
  return result;
}

function withParents(entity: Entity, all: Entities, visited: Set<string>): Entity {
  if (visited.has(entity.id))
    throw new InvalidParent(`Cycle detected in inheritance chain for entity: ${entity.id}`, entity);
  visited.add(entity.id);
  if (entity.inherits === null || entity.inherits === '') return entity;
  const parent = all.get(entity.inherits);
  if (parent === undefined) {
    throw new InvalidParent(
      `The specified parent: ${entity.inherits} for entity: ${entity.id} does not exist`,
      entity,
    );
  }
  return inherit(entity, withParents(parent, all, visited));
}
