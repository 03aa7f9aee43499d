/** Resource properties in the order of evaluation. */
export const AMOUNTS = [
  'min_gpus',
  'min_cores',
  'min_mem',
  'max_gpus',
  'max_cores',
  'max_mem',
  'gpus',
  'cores',
  'mem',
] as const;
export type AmountName = (typeof AMOUNTS)[number];

/** Resource properties in the order in which TPV declares and compiles them. */
export const DECLARED_AMOUNTS = [
  'cores',
  'mem',
  'gpus',
  'min_cores',
  'min_mem',
  'min_gpus',
  'max_cores',
  'max_mem',
  'max_gpus',
] as const satisfies readonly AmountName[];

/** Limits on what a destination accepts. */
export const ACCEPTED = [
  'max_accepted_cores',
  'min_accepted_cores',
  'max_accepted_mem',
  'min_accepted_mem',
  'max_accepted_gpus',
  'min_accepted_gpus',
] as const;
export type AcceptedName = (typeof ACCEPTED)[number];

/**
 * What one user may have at a time in a resource pool (TPV 3.3.0). Every entity has them, so that
 * users and roles set their own.
 */
export const CONCURRENT = [
  'max_concurrent_cores',
  'max_concurrent_mem',
  'max_concurrent_gpus',
] as const;
export type ConcurrentName = (typeof CONCURRENT)[number];

export function isConcurrent(name: string): name is ConcurrentName {
  return CONCURRENT.some((known) => known === name);
}

/** No bounds. */
export const UNBOUNDED = {
  max_concurrent_cores: null,
  max_concurrent_mem: null,
  max_concurrent_gpus: null,
} as const satisfies Readonly<Record<ConcurrentName, null>>;

/** A destination that accepts any amount. */
export const NO_LIMITS = {
  max_accepted_cores: null,
  min_accepted_cores: null,
  max_accepted_mem: null,
  min_accepted_mem: null,
  max_accepted_gpus: null,
  min_accepted_gpus: null,
} as const satisfies Readonly<Record<AcceptedName, null>>;

export type EntityKind = 'rule' | 'tool' | 'role' | 'user' | 'destination' | 'pool';

/** Keys that every entity may have in a file. */
const COMMON = [
  'id',
  'abstract',
  'inherits',
  ...AMOUNTS,
  ...CONCURRENT,
  'env',
  'params',
  'resubmit',
  'rank',
  'context',
  'scheduling',
  'rules',
] as const;

/** The keys that TPV knows, by kind of entity. Others are kept, with a warning. */
export const KNOWN_KEYS: { readonly [kind in EntityKind]: readonly string[] } = {
  tool: COMMON,
  role: COMMON,
  user: COMMON,
  rule: [...COMMON, 'if', 'execute', 'fail'],
  destination: [...COMMON, 'runner', ...ACCEPTED, 'destination_name_override', 'tags'],
  pool: [...COMMON, 'oversize', 'fail_open'],
};
