import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { openDatabase } from '../../../src/db/client.ts';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { createPurge } from '../../../src/sweeper/purge.ts';
import { openLoadGenerator } from '../load.ts';
import { startPlanner } from '../planners.ts';
import { median, type Sample } from '../sample.ts';
import { YES_ASK } from '../site.ts';

/*
 * node --no-warnings test/bench/measures/purge.ts [--rows 10000000] [--rounds 3] [--seconds 30]
 * [--minutes 20]
 *
 * Sends 100 asks a second with this many old asks in the database, in turn without and with a
 * purge; then the purge continues beside the asks until nothing is left, or for this many minutes.
 * Half of the old asks are NOs, half YESes with an offer and a hold that lapsed.
 */

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '30' },
    minutes: { type: 'string', default: '20' },
  },
});
const [rows, rounds, secondsOfRound, minutes] = [
  Number(values.rows),
  Number(values.rounds),
  Number(values.seconds),
  Number(values.minutes),
];
const PACE = 100;
const PORTION = 100_000;

const NOS = `
  INSERT INTO ask (id, owner, created_at, result, document, bytes, inputs, rules_digest, trace_key, reasons)
  SELECT uuidv7(), 'anonymous', now() - interval '40 days' + ($2 + g) * interval '1 ms', 'NO',
    '{"task": {"type": "urn:old", "spec": {}}}', 1000, '{"job": {}}', 'old', 'old', '[]'
  FROM generate_series(1, $1::int) g`;
const YESES = `
  WITH fresh AS MATERIALIZED (SELECT uuidv7() AS id, uuidv7() AS offer, g FROM generate_series(1, $1::int) g),
  asks AS (
    INSERT INTO ask (id, owner, created_at, result, document, bytes, inputs, rules_digest, trace_key, reasons)
    SELECT id, 'anonymous', now() - interval '40 days' + ($2 + g) * interval '1 ms', 'YES',
      '{"task": {"type": "urn:old", "spec": {}}}', 1000, '{"job": {}}', 'old', 'old', '[]'
    FROM fresh),
  holds AS (
    INSERT INTO reservation (ask_id, destination_id, state, starts_at, ends_at, expires_at, cores,
      memory_mib, scratch_mib)
    SELECT id, 'd' || g % 10, 'LAPSED', now() - interval '40 days', now() - interval '40 days',
      now() - interval '40 days', 1, 1, 1 FROM fresh)
  INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at, promise,
    cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s, release_s)
  SELECT offer, id, 0, 'anonymous', 'EXPIRED', 'd' || g % 10, 'process', now() - interval '40 days',
    '{}', 1, 1, 1, now(), 60, 1, 1 FROM fresh`;

const steps: (() => unknown)[] = [];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void end().finally(() => process.exit(1)));

try {
  await bench();
} finally {
  await end();
}

async function end(): Promise<void> {
  for (const step of steps.splice(0).toReversed()) await step();
}

async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-purge-'));
  steps.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const cluster = await startEmbedded({ directory: folder });
  steps.push(cluster.stop);
  const planner = await startPlanner(cluster, folder, 10, []);
  steps.push(planner.stop);
  const load = openLoadGenerator();
  steps.push(load.close);
  const { client } = planner;
  await fill(client);
  const database = openDatabase(planner.database, 2, 'sweeper');
  steps.push(() => database.$disconnect());

  const gone = async (): Promise<number> =>
    Number(
      (await client.query('SELECT coalesce(sum(records), 0) AS gone FROM purged')).rows[0]?.gone,
    );
  const size = async (): Promise<number> =>
    Number(
      (await client.query('SELECT pg_database_size(current_database()) / 1048576 AS mib')).rows[0]
        ?.mib,
    );
  const asks = (amount: number): Promise<Sample> =>
    load.send({
      url: `${planner.server.url}/request`,
      method: 'POST',
      body: YES_ASK,
      amount,
      connections: 32,
      perSecond: PACE,
    });
  /**
   * All old asks are due, as after days without a purge; runs follow each other as the sweeper
   * makes them.
   */
  const purging = async (until: () => boolean): Promise<void> => {
    const purge = createPurge(database, () => performance.now());
    let isDone = false;
    while (!isDone && !until()) {
      const run = purge.run();
      while (!until() && !(await Promise.race([run.then(() => true), delay(200, false)])));
      if (until()) await purge.stop();
      isDone = Object.values(await run).every((count) => count === 0);
    }
  };

  await asks(PACE * 10);
  const [before, during, rates]: [Sample[], Sample[], number[]] = [[], [], []];
  for (let round = 1; round <= rounds; round += 1) {
    before.push(await asks(PACE * secondsOfRound));
    let isOver = false;
    const [from, begun] = [await gone(), performance.now()];
    const work = purging(() => isOver);
    during.push(await asks(PACE * secondsOfRound));
    isOver = true;
    await work;
    rates.push(((await gone()) - from) / ((performance.now() - begun) / 1000));
    const [a, b] = [before.at(-1), during.at(-1)];
    console.log(
      `round ${round}: p50 ${a?.p50.toFixed(1)} and ${b?.p50.toFixed(1)} ms, p99 ` +
        `${a?.p99.toFixed(1)} and ${b?.p99.toFixed(1)} ms, ` +
        `${rates.at(-1)?.toFixed(0)} asks/s purged`,
    );
  }
  const ratio = (quantile: 'p50' | 'p99'): number =>
    median(during.map((one, round) => one[quantile] / (before[round]?.[quantile] ?? Number.NaN)));
  console.log(
    `while purged, of that before (median): p50 ${ratio('p50').toFixed(2)}, p99 ${ratio('p99').toFixed(2)} times`,
  );

  const [begun, from, was] = [performance.now(), await gone(), await size()];
  const beside: Sample[] = [];
  const rest = purging(() => performance.now() - begun > minutes * 60_000).then(() => true);
  do beside.push(await asks(PACE * 10));
  while (!(await Promise.race([rest, delay(0, false)])));
  const took = (performance.now() - begun) / 1000;
  console.log(
    `then ${(await gone()) - from} asks in ${took.toFixed(0)} s, ` +
      `${(((await gone()) - from) / took).toFixed(0)} a second, beside ${PACE} asks/s: median ` +
      `p99 ${median(beside.map(({ p99 }) => p99)).toFixed(1)} ms; ${await gone()} of ${rows} ` +
      `purged in all; the database had ${was.toFixed(0)} MiB and has ` +
      `${(await size()).toFixed(0)}`,
  );
}

/**
 * Rows as a service leaves them; foreign keys are known to be right and not checked ten million
 * times.
 */
async function fill(client: Client): Promise<void> {
  await client.query(`SET session_replication_role = replica`);
  for (let done = 0; done < rows; done += 2 * PORTION) {
    const portion = Math.min(PORTION, Math.ceil((rows - done) / 2));
    await client.query(NOS, [portion, done]);
    await client.query(YESES, [portion, done]);
    process.stderr.write(`${done + 2 * portion} old asks are there\n`);
  }
  await client.query(`SET session_replication_role = origin`);
  await client.query(
    `
      INSERT INTO stored (owner, bytes) VALUES ('anonymous', $1) ON CONFLICT (owner) DO UPDATE
      SET bytes = stored.bytes + excluded.bytes`,
    [rows * 1000],
  );
  await client.query('VACUUM ANALYZE ask, offer, reservation');
}
