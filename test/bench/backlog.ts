import type { Client } from 'pg';
import { emptyBook, makeOffers, WARM_UPS, withConnections } from './book.ts';
import type { LoadGenerator } from './load.ts';
import type { BenchPlanner } from './planners.ts';
import { measureLoop, type Fact, type Sample } from './sample.ts';
import { YES_ASK } from './site.ts';

/** One ask with one offer and one hold for each number, as time left them: over long ago, or lapsed a moment ago. */
const STORE = `
  WITH fresh AS MATERIALIZED (SELECT uuidv7() AS id, 'd' || g % $2 AS destination FROM generate_series(1, $1::int) g),
  asks AS (
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, reasons)
    SELECT id, 'anonymous', 'YES', '{}', '{}', '', '[]' FROM fresh),
  holds AS (
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores, memory_mib, scratch_mib)
    SELECT id, destination, $3::reservation_state, now() - interval '1 hour', now() + interval '1 hour', now() - interval '1 s', 1, 1, 1 FROM fresh)
  INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at, promise,
                     cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s, release_s)
  SELECT uuidv7(), id, 0, 'anonymous', $4::session_state, destination, 'process', now() - interval '1 s', '{}', 1, 1, 1, now(), 60, 1, 1 FROM fresh`;

const PORTION = 100_000;

const store = async (client: Client, count: number, spread: number, state: 'LAPSED' | 'HELD'): Promise<void> => {
  for (let left = count; left > 0; left -= PORTION) {
    await client.query(STORE, [Math.min(left, PORTION), spread, state, state === 'HELD' ? 'OFFERED' : 'EXPIRED']);
  }
  await client.query('VACUUM ANALYZE ask, offer, reservation');
};

const ACCEPT = `SELECT verdict FROM accept_offer($1::uuid, 'anonymous', 'AUTO', interval '1 hour', interval '7 days')`;
const CONNECTIONS = 8;

const accept = ({ client, database, destinations }: BenchPlanner, amount: number, beside?: () => Promise<void>): Promise<Sample> =>
  withConnections(database, CONNECTIONS, async ({ of }) => {
    const run = (ids: readonly string[]): Promise<Sample> => measureLoop(ids, CONNECTIONS, (id, worker) => of(worker).query(ACCEPT, [id]));
    await run(await makeOffers(client, WARM_UPS * CONNECTIONS, destinations));
    const offers = await makeOffers(client, amount, destinations);
    const [sample] = await Promise.all([run(offers), beside?.()]);
    return sample;
  });

const sweep = (database: string): Promise<void> => withConnections(database, 1, async ({ of }) => {
  for (let lapsed = 500; lapsed === 500;) {
    const { rows: [row] } = await of(0).query('SELECT lapse_due(NULL, 500) AS lapsed');
    lapsed = Number(row?.lapsed);
  }
});

const facts = (name: string, { p50, p99 }: Sample): readonly Fact[] =>
  [{ name: `${name}, p50`, unit: 'ms', values: [p50] }, { name: `${name}, p99`, unit: 'ms', values: [p99] }];

/** Accepts and asks beside ten thousand and a million offers of the past, and accepts while a backlog of holds is swept. */
export const measureBacklog = async (planner: BenchPlanner, load: LoadGenerator, amount: number): Promise<readonly Fact[]> => {
  const { client, server, destinations, database } = planner;
  const found: Fact[] = [];
  await emptyBook(client);
  let stored = 0;
  for (const goal of [10_000, 1_000_000]) {
    await store(client, goal - stored, destinations, 'LAPSED');
    stored = goal;
    const kept = `${goal.toLocaleString('en')} offers stored`;
    found.push(...facts(`SQL: accept_offer, ${CONNECTIONS} connections, ${kept}`, await accept(planner, amount)));
    const asked = await load.send({ url: `${server.url}/request`, method: 'POST', body: YES_ASK, amount, connections: CONNECTIONS });
    found.push(...facts(`POST /request, ${destinations} destinations, ${CONNECTIONS} connections, ${kept}`, asked));
  }
  await emptyBook(client);
  await store(client, PORTION, destinations, 'HELD');
  found.push(...facts(`SQL: accept_offer, ${CONNECTIONS} connections, 100,000 lapsed holds`, await accept(planner, amount)));
  found.push(...facts(`SQL: accept_offer, ${CONNECTIONS} connections, while they are swept`, await accept(planner, amount, () => sweep(database))));
  await emptyBook(client);
  return found;
};
