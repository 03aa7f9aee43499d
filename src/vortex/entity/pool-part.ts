import type { Value } from '../../python/index.ts';
import type { TagSet } from './tags.ts';

/** Fields of a pool's `oversize`: rules for a job that is larger than the pool. */
export const OVERSIZE = [
  'max_concurrent',
  'hard_max_cores',
  'hard_max_mem',
  'hard_max_gpus',
  'reserve_pool',
] as const;
export type OversizeName = (typeof OVERSIZE)[number];

/**
 * What only pools have. `oversize` and `fail_open` hold what a file sets: the rest comes from a
 * parent.
 */
export type PoolPart = {
  readonly oversize: { readonly [name in OversizeName]?: Value };
  readonly failOpen: boolean | undefined;
  /** A job in the pool carries all required tags and none of the rejected ones. */
  readonly tags: TagSet;
};

/** One pool's own fields over those of its parent (TPV 3.3.0, PoolEntity). */
export function overridePool(child: PoolPart, parent: PoolPart): PoolPart {
  return {
    oversize: { ...parent.oversize, ...child.oversize },
    // An inherited value counts as set, as in TPV: a later file that changes the parent has no
    // effect on it.
    failOpen: child.failOpen ?? parent.failOpen ?? false,
    tags: child.tags.inherit(parent.tags),
  };
}

/** `oversize` as TPV has it, with its defaults. */
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
