import { Client } from 'pg';
import type { AcceptTerms } from '../../../src/planner/record/update-offer.ts';
import { seconds } from '../../../src/words/units.ts';

/** A job may wait an hour for its executor, results stay a week. */
export const BENCH_TERMS: AcceptTerms = {
  start: 'AUTO',
  queueLimit: seconds(3600),
  keepResults: seconds(604_800),
};

/** Connections of a bare loop, one for each worker. */
export type Connections = { readonly of: (worker: number) => Client };

/** Opens this many connections while `use` runs. */
export async function withConnections<Result>(
  url: string,
  count: number,
  use: (connections: Connections) => Promise<Result>,
): Promise<Result> {
  const all = Array.from({ length: count }, () => new Client({ connectionString: url }));
  await Promise.all(all.map((client) => client.connect()));
  const of = (worker: number): Client => {
    const client = all[worker];
    if (client === undefined) throw new Error(`worker ${worker} has no connection`);
    return client;
  };
  try {
    return await use({ of });
  } finally {
    await Promise.all(all.map((client) => client.end()));
  }
}

/**
 * Runs of its statements on each connection of a bare loop before the measurement: the planner
 * keeps its connections, and PostgreSQL compiles functions anew in each one.
 */
export const WARM_UPS = 6;

/** Empties the book and the queue of the executors, so that all rounds start alike. */
export async function emptyBook(client: Client): Promise<void> {
  await client.query('TRUNCATE ask, result_use CASCADE');
  await client.query('TRUNCATE graphile_worker._private_jobs CASCADE');
  await recount(client);
}

/** Asks in the book, by their result. */
export async function countAsks(client: Client, result: 'YES' | 'NO'): Promise<number> {
  const { rows } = await client.query('SELECT count(*)::int AS n FROM ask WHERE result = $1', [
    result,
  ]);
  return Number(rows[0]?.n);
}

const MAKE = `
  WITH fresh AS MATERIALIZED (SELECT uuidv7() AS id, 'd' || g % $2 AS destination FROM generate_series(1, $1) g),
  asks AS (
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, trace, reasons)
    SELECT id, 'anonymous', 'YES', '{}', '{}', '', '[]', '[]' FROM fresh),
  holds AS (
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at,
                             cores, memory_mib, scratch_mib)
    SELECT id, destination, 'HELD', now(), now() + interval '2 hours', now() + interval '1 hour', 4000, 8192, 1024
    FROM fresh),
  offers AS (
    INSERT INTO offer (id, ask_id, place, owner, destination_id, runner, expires_at, promise,
                       cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s, release_s)
    SELECT uuidv7(), id, p, 'anonymous', destination, 'process', now() + interval '1 hour', $3::jsonb,
           2000 * (p + 1), 4096 * (p + 1), 1024, now(), 3600, 600, 30
    FROM fresh, generate_series(0, 1) p RETURNING id, place)
  SELECT id FROM offers WHERE place = 0`;

const PROMISE = {
  taskType: 'https://www.purl.org/ivoa-net/task-type/executable',
  plugin: undefined,
  task: { type: 'executable', command: ['true'], environment: {} },
  parts: [
    {
      replicas: 1,
      cores: { min: 2000, max: 2000 },
      memory: { min: 4096, max: 4096 },
      volumes: [],
      path: 'resources.compute[0]',
    },
  ],
  cores: { min: 2000, max: 2000 },
  memory: { min: 4096, max: 4096 },
  scratch: 1024,
  storage: [],
};

/**
 * Writes this many answers with two offers each, held for an hour, at the first `spread`
 * destinations in turn.
 *
 * @returns the first offer of each
 */
export async function makeOffers(
  client: Client,
  count: number,
  spread: number,
): Promise<readonly string[]> {
  const { rows } = await client.query(MAKE, [count, spread, JSON.stringify(PROMISE)]);
  await recount(client);
  await client.query('ANALYZE ask, offer, reservation');
  return rows.map(({ id }) => String(id));
}

/** Recomputes the book's sums after writes that bypass its functions. */
async function recount(client: Client): Promise<void> {
  return void (await client.query(
    "SELECT recount_live(array_agg(id)), recount_results(ARRAY['*']) FROM destination",
  ));
}
