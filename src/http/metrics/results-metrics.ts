import type { Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { gaugesOf } from './gauges.ts';

type Row = { readonly destination: string; readonly pool: string | null; readonly bytes: number };
type Pool = { readonly name: string; readonly size: number; readonly held: number };

/**
 * Registers the gauges of the room for results.
 * @returns reads them from the database, so that every replica reports the same
 */
export function registerResults(registry: Registry, database: Database): () => Promise<void> {
  const gauge = gaugesOf(registry);
  const kept = gauge(
    'planner_results_bytes',
    'Room for results in use by jobs, until their files are removed',
    ['destination', 'pool'],
  );
  const held = gauge('planner_results_held_bytes', 'Room for results held by open answers', [
    'pool',
  ]);
  const room = gauge(
    'planner_results_room_bytes',
    'Room for results; pool * is the one of the site',
    ['pool'],
  );
  return async () => {
    const [rows, pools] = await Promise.all([
      database.$queryRaw<Row[]>`
        SELECT d.id AS destination, d.result_pool AS pool, coalesce(sum(u.bytes), 0)::float8 AS bytes
        FROM destination d LEFT JOIN result_use u ON u.destination_id = d.id WHERE d.open
        OR u.bytes IS NOT NULL GROUP BY 1, 2`,
      database.$queryRaw<Pool[]>`
        SELECT p.name, p.size_mib::float8 * 1048576 AS size, u.held::float8 * 1048576 AS held
        FROM result_pool p CROSS JOIN LATERAL results_used(p.name, false) u
        WHERE EXISTS (SELECT FROM destination d WHERE d.open AND d.result_pool = p.name)`,
    ]).catch((): [Row[], Pool[]] => [[], []]);
    for (const one of [kept, held, room]) one.reset();
    for (const { destination, pool, bytes } of rows)
      kept.set({ destination, pool: pool ?? '' }, bytes);
    for (const { name, size, held: now } of pools) {
      held.set({ pool: name }, now);
      room.set({ pool: name }, size);
    }
  };
}
