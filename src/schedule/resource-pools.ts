import type { Database } from '../db/client.ts';

/**
 * The use of a resource pool now, by open answers and unfinished jobs, in the units of rule files:
 * cores, GB, GPUs.
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
 * The pools in use, by name.
 *
 * @param owner whose use counts (`personOf`); undefined: everybody's
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
