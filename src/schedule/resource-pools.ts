import type { Database } from '../db/client.ts';

/**
 * What is held of a resource pool now, by open answers and by jobs that are not over, in the units
 * of rule files: cores, GB, GPUs.
 */
export type PoolUse = {
  readonly pool: string;
  readonly users: number;
  readonly tasks: number;
  readonly cores: number;
  readonly mem: number;
  readonly gpus: number;
};

/**
 * The pools of which something is held, by name.
 *
 * @param owner whose part of the pools (`personOf`); undefined: of anybody
 */
export function readPools(
  database: Pick<Database, '$queryRaw'>,
  owner: string | undefined,
): Promise<readonly PoolUse[]> {
  return database.$queryRaw<PoolUse[]>`
  SELECT pool, count(DISTINCT owner)::int AS users, count(*)::int AS tasks, sum(cores) AS cores,
    sum(mem_gb) AS mem, sum(gpus) AS gpus
  FROM pool_holders(NULL, ${owner ?? null}::text) GROUP BY 1 ORDER BY 1`;
}
