import type { Value } from '../../python/index.ts';
import type { TagSet } from './tags.ts';

/** Fields of a pool's `oversize`: what becomes of a job that alone is larger than the pool. */
export const OVERSIZE = [
  'max_concurrent',
  'hard_max_cores',
  'hard_max_mem',
  'hard_max_gpus',
  'reserve_pool',
] as const;
export type OversizeName = (typeof OVERSIZE)[number];

/**
 * What only pools have. Of `oversize` and `fail_open` it is known which a file sets:
 * the others come from a parent.
 */
export type PoolPart = {
  readonly oversize: { readonly [name in OversizeName]?: Value };
  readonly failOpen: boolean | undefined;
  /** which jobs the pool is for: those that carry all that it requires, and none that it rejects */
  readonly tags: TagSet;
};

/** One pool's own fields over those of its parent (TPV 3.3.0, PoolEntity). */
export function overridePool(child: PoolPart, parent: PoolPart): PoolPart {
  return {
    oversize: { ...parent.oversize, ...child.oversize },
    // Once inherited it is set, as TPV has it: a later file that changes the
    // parent no longer reaches it.
    failOpen: child.failOpen ?? parent.failOpen ?? false,
    tags: child.tags.inherit(parent.tags),
  };
}

/** `oversize` as TPV has it, with what nobody sets. */
export function oversizeOf({ oversize }: PoolPart): { readonly [name in OversizeName]: Value } {
  return {
    max_concurrent: 0,
    hard_max_cores: null,
    hard_max_mem: null,
    hard_max_gpus: null,
    reserve_pool: false,
    ...oversize,
  };
}
