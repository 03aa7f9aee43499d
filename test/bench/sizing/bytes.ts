import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { emptyBook } from '../measures/book.ts';
import { measureCosts } from '../measures/costs.ts';
import type { LoadGenerator } from '../load.ts';
import { startPlanner, type BenchPlanner } from '../planners.ts';
import type { Fact } from '../sample.ts';
import { NO_ASK, YES_ASK } from '../site.ts';
import { print, withBench } from './bench.ts';

/*
 * node --no-warnings test/bench/sizing/bytes.ts [--destinations 10,1000,5000] [--amount 2000]
 * [--costs]
 *
 * What an ask and an accept write: bytes of tables and indexes, and of the log of changes between
 * two checkpoints. With --costs also the processor time of each part of an ask.
 */

const { values } = parseArgs({
  options: {
    destinations: { type: 'string', default: '10,1000,5000' },
    amount: { type: 'string', default: '2000' },
    costs: { type: 'boolean', default: false },
  },
});
const amount = Number(values.amount);
const CONNECTIONS = 32;
const SIZES = `
  SELECT sum(pg_total_relation_size(c.oid))::float8 AS stored,
    (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS logged
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname IN ('public', 'graphile_worker') AND c.relkind = 'r'`;

await withBench(async ({ cluster, folder, openLoad, onEnd }) => {
  const load = openLoad();
  for (const destinations of values.destinations.split(',').map(Number)) {
    const planner = await startPlanner(cluster, folder, destinations, []);
    onEnd(planner.stop);
    const few = destinations > 1000 ? Math.ceil(amount / 20) : amount;
    await emptyBook(planner.client);
    print(await asked(planner, load, 'YES', few));
    if (destinations <= 100) print(await accepted(planner, load));
    await emptyBook(planner.client);
    print(await asked(planner, load, 'NO', few));
    if (values.costs) print(await measureCosts(planner, load, few));
    await planner.client.query('TRUNCATE ask CASCADE');
  }
});

async function asked(
  planner: BenchPlanner,
  load: LoadGenerator,
  result: 'YES' | 'NO',
  count: number,
): Promise<readonly Fact[]> {
  const ask = (): Promise<unknown> =>
    load.send({
      url: `${planner.server.url}/request`,
      method: 'POST',
      body: result === 'YES' ? YES_ASK : NO_ASK,
      amount: count,
      connections: CONNECTIONS,
    });
  // The first write of a page after a checkpoint logs the whole page: that is measured apart.
  await planner.client.query('CHECKPOINT');
  await ask();
  return written(planner, `ask, ${planner.destinations} destinations, ${result}`, count, ask);
}

/** Accepts the first offer of answers that are open. */
async function accepted(planner: BenchPlanner, load: LoadGenerator): Promise<readonly Fact[]> {
  const { rows } = await planner.client.query(
    `SELECT id FROM offer WHERE place = 0 AND state = 'OFFERED' AND expires_at > now()`,
  );
  const paths = rows.map(({ id }) => `/offers/${id}`);
  const [first, second] = [paths.slice(0, paths.length / 2), paths.slice(paths.length / 2)];
  const accept = (some: readonly string[]): Promise<unknown> =>
    load.send({
      url: planner.server.url,
      method: 'POST',
      body: 'offer: { status: ACCEPTED }',
      paths: some,
      amount: some.length,
      connections: CONNECTIONS,
    });
  await accept(first);
  return written(planner, 'accept', second.length, () => accept(second));
}

/** What `work` writes for each of `count`. */
async function written(
  { client }: BenchPlanner,
  what: string,
  count: number,
  work: () => Promise<unknown>,
): Promise<readonly Fact[]> {
  const before = await sizes(client);
  await work();
  const after = await sizes(client);
  const kib = (bytes: number): readonly number[] => [bytes / count / 1024];
  return [
    {
      name: `${what}: in tables and indexes`,
      unit: 'KiB',
      values: kib(after.stored - before.stored),
    },
    {
      name: `${what}: in the log of changes`,
      unit: 'KiB',
      values: kib(after.logged - before.logged),
    },
  ];
}

async function sizes(
  client: Client,
): Promise<{ readonly stored: number; readonly logged: number }> {
  const { rows } = await client.query(SIZES);
  return { stored: Number(rows[0]?.stored), logged: Number(rows[0]?.logged) };
}
