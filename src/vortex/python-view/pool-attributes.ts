import { defineClass, PyDict, truthy } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import type { Entity } from '../entity/entity.ts';
import { OVERSIZE, oversizeOf } from '../entity/pool-part.ts';
import type { PoolPart } from '../entity/pool-part.ts';
import { PyTags, tagsOfDict } from './python-tags.ts';

/** `pool.oversize` as a rule reads it. */
const policies = defineClass<PoolPart>({
  name: 'OversizePolicy',
  module: 'tpv.core.resource_pool',
  attributes: Object.fromEntries(
    OVERSIZE.map((name) => [name, { get: (pool: PoolPart) => oversizeOf(pool)[name] }]),
  ),
});

/** A pool's attribute besides those of all entities; undefined when there is none. */
export function poolAttribute(entity: Entity, pool: PoolPart, name: string): Value | undefined {
  switch (name) {
    case 'oversize':
      return policies.wrap(pool);
    case 'fail_open':
      return pool.failOpen ?? false;
    case 'tpv_dest_tags':
      return new PyTags(pool.tags, (own) => {
        entity.changes();
        // Other changes of the pool since then stay.
        if (entity.pool !== null) entity.pool = { ...entity.pool, tags: own };
      });
    default:
      return undefined;
  }
}

/** @returns false for an unknown property */
export function setPoolAttribute(
  entity: Entity,
  pool: PoolPart,
  name: string,
  value: Value,
): boolean {
  switch (name) {
    case 'fail_open':
      entity.pool = { ...pool, failOpen: truthy(value) };
      return true;
    case 'tpv_dest_tags':
      entity.pool = {
        ...pool,
        tags:
          value instanceof PyDict
            ? tagsOfDict(value)
            : value instanceof PyTags
              ? value.open()
              : pool.tags,
      };
      return true;
    default:
      return false;
  }
}
