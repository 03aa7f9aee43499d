import type { Database } from '../db/client.ts';
import type { Mebibytes } from '../words/units.ts';

/**
 * The use of a pool of results, MiB: by open answers, and by jobs until their files are removed.
 */
export type ResultsUsed = { readonly held: number; readonly kept: number };

/** Sums the use of some pools: `results_used` in prisma/functions.sql. */
export async function readResultsUse(
  database: Database,
  pools: readonly string[],
): Promise<ReadonlyMap<string, ResultsUsed>> {
  if (pools.length === 0) return new Map();
  const rows = await database.$queryRaw<(ResultsUsed & { readonly pool: string })[]>`
    SELECT named.pool, u.held::float8 AS held, u.kept::float8 AS kept
    FROM unnest(${[...pools]}::text[]) AS named(pool) CROSS JOIN LATERAL results_used(named.pool, false) u`;
  return new Map(rows.map(({ pool, held, kept }) => [pool, { held, kept }]));
}

/** MiB of all results that are not removed. */
export async function readKept(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<
    { kept: number }[]
  >`SELECT coalesce(ceil(sum(bytes) / 1048576), 0)::float8 AS kept FROM result_use`;
  return row?.kept ?? 0;
}

/**
 * Makes the pools equal to the site file. Results beyond a smaller limit stay until they are
 * removed.
 */
export async function writeResultPools(
  database: Database,
  pools: ReadonlyMap<string, { readonly name: string; readonly size: Mebibytes }>,
): Promise<void> {
  const named = new Map([...pools.values()].map(({ name, size }) => [name, { name, size }]));
  const ofDestinations = Object.fromEntries(
    [...pools].map(([destination, { name }]) => [destination, name]),
  );
  await database.$executeRaw`
    SELECT write_result_pools(${JSON.stringify([...named.values()])}::jsonb,
      ${JSON.stringify(ofDestinations)}::jsonb)`;
}
