import type { Client } from 'pg';
import { emptyBook, makeOffers, WARM_UPS, withConnections } from './book.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import { measureLoop, type Fact, type Sample } from '../sample.ts';
import { YES_ASK } from '../site.ts';

/**
 * One ask with one offer and one hold for each number; the holds ended long ago, or lapsed a moment
 * ago.
 */
const STORE = `
  WITH fresh AS MATERIALIZED (SELECT uuidv7() AS id, 'd' || g % $2 AS destination FROM generate_series(1, $1::int) g),
  asks AS (
    INSERT INTO ask (id, owner, result, description, inputs, rules_digest, reasons)
    SELECT id, 'anonymous', 'YES', '{}', '{}', '', '[]' FROM fresh),
  holds AS (
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
      memory_mib, scratch_mib)
    SELECT id, destination, $3::reservation_state, now() - interval '1 hour',
      now() + interval '1 hour', now() - interval '1 s', 1, 1, 1 FROM fresh)
  INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at, promise,
                     cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s, release_s)
  SELECT uuidv7(), id, 0, 'anonymous', $4::session_state, destination, 'process',
    now() - interval '1 s', '{}', 1, 1, 1, now(), 60, 1, 1 FROM fresh`;

const PORTION = 100_000;

const ACCEPT = `SELECT verdict FROM accept_offer($1::uuid, 'anonymous', 'AUTO', interval '1 hour', interval '7 days')`;
const CONNECTIONS = 8;

/** Repeated in turn, so that a machine that slows down slows both. */
const ROUNDS = 3;

type Pair = { readonly few: readonly Sample[]; readonly many: readonly Sample[] };

const FEW = 10_000;

/** Accepts and asks with ten thousand and with many past offers, at two equal planners. */
export async function measureStored(
  few: BenchPlanner,
  many: BenchPlanner,
  load: LoadGenerator,
  amount: number,
  stored = 1_000_000,
): Promise<readonly Fact[]> {
  await store(few.client, FEW, few.destinations, 'LAPSED');
  await store(many.client, stored, many.destinations, 'LAPSED');
  const ask =
    ({ server }: BenchPlanner) =>
    (): Promise<Sample> =>
      load.send({
        url: `${server.url}/request`,
        method: 'POST',
        body: YES_ASK,
        amount,
        connections: CONNECTIONS,
      });
  const names = (what: string) => ({
    few: `${what}, ${FEW.toLocaleString('en')} offers stored`,
    many: `${what}, ${stored.toLocaleString('en')} offers stored`,
    ratio: `${what}: p99 beside ${stored.toLocaleString('en')}, of that beside ${FEW.toLocaleString('en')}`,
  });
  return [
    ...facts(
      await inTurn(
        () => accept(few, amount),
        () => accept(many, amount),
      ),
      names(`SQL: accept_offer, ${CONNECTIONS} connections`),
    ),
    ...facts(
      await inTurn(ask(few), ask(many)),
      names(`POST /request, ${few.destinations} destinations, ${CONNECTIONS} connections`),
    ),
  ];
}

/** Accepts with a hundred thousand lapsed holds, and while these are swept. */
export async function measureSweep(
  planner: BenchPlanner,
  amount: number,
): Promise<readonly Fact[]> {
  const fill = async (): Promise<void> => {
    await emptyBook(planner.client);
    await store(planner.client, PORTION, planner.destinations, 'HELD');
  };
  const what = `SQL: accept_offer, ${CONNECTIONS} connections`;
  const pair = await inTurn(
    async () => {
      await fill();
      return accept(planner, amount);
    },
    () => accept(planner, amount, () => sweep(planner.database)),
  );
  await emptyBook(planner.client);
  return facts(pair, {
    few: `${what}, ${PORTION.toLocaleString('en')} lapsed holds`,
    many: `${what}, while they are swept`,
    ratio: `${what}: p99 while they are swept, of that before`,
  });
}

async function store(
  client: Client,
  count: number,
  spread: number,
  state: 'LAPSED' | 'HELD',
): Promise<void> {
  // Past rows change no sums, and refer to rows of the same statement.
  if (state === 'LAPSED') await client.query('SET session_replication_role = replica');
  for (let left = count; left > 0; left -= PORTION) {
    await client.query(STORE, [
      Math.min(left, PORTION),
      spread,
      state,
      state === 'HELD' ? 'OFFERED' : 'EXPIRED',
    ]);
  }
  await client.query('RESET session_replication_role');
  await client.query('VACUUM ANALYZE ask, offer, reservation');
}

/** Both p99, and their ratio. */
function facts(
  { few, many }: Pair,
  names: { readonly few: string; readonly many: string; readonly ratio: string },
): readonly Fact[] {
  return [
    { name: `${names.few}, p99`, unit: 'ms', values: few.map(({ p99 }) => p99) },
    { name: `${names.many}, p99`, unit: 'ms', values: many.map(({ p99 }) => p99) },
    {
      name: names.ratio,
      unit: 'times',
      values: many.map(({ p99 }, round) => p99 / (few[round]?.p99 ?? Number.NaN)),
    },
  ];
}

async function inTurn(few: () => Promise<Sample>, many: () => Promise<Sample>): Promise<Pair> {
  const found = { few: new Array<Sample>(), many: new Array<Sample>() };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const pair = [await few(), await many()] as const;
    if (round === 0) continue;
    found.few.push(pair[0]);
    found.many.push(pair[1]);
  }
  return found;
}

function accept(
  { client, database, destinations }: BenchPlanner,
  amount: number,
  beside?: () => Promise<void>,
): Promise<Sample> {
  return withConnections(database, CONNECTIONS, async ({ of }) => {
    const run = (ids: readonly string[]): Promise<Sample> =>
      measureLoop(ids, CONNECTIONS, (id, worker) => of(worker).query(ACCEPT, [id]));
    await run(await makeOffers(client, WARM_UPS * CONNECTIONS, destinations));
    const offers = await makeOffers(client, amount, destinations);
    const [sample] = await Promise.all([run(offers), beside?.()]);
    return sample;
  });
}

function sweep(database: string): Promise<void> {
  return withConnections(database, 1, async ({ of }) => {
    for (let lapsed = 500; lapsed === 500;) {
      const {
        rows: [row],
      } = await of(0).query('SELECT lapse_due(NULL, 500) AS lapsed');
      lapsed = Number(row?.lapsed);
    }
  });
}
