import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { startPlanner } from '../planners.ts';
import { quantile } from '../sample.ts';
import { benchUsers, credentialOf, YES_ASK } from '../site.ts';

/*
 * node --no-warnings test/bench/measures/lists.ts [--jobs 50000] [--requests 300]
 *
 * The first page of lists of one owner with 50 jobs, of one with many, and of one with as many
 * archived ones and 50 others, in turn. Each has three answers that are open. It ends with an error
 * where a page of many takes more than 1.5 times as long as one of few.
 */

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '50000' },
    requests: { type: 'string', default: '300' },
  },
});
const [jobs, requests] = [Number(values.jobs), Number(values.requests)];
const FEW = 50;
/** Longest a first page may take of many jobs, times that of few, in the same run. */
const MOST_TIMES = 1.5;
/** The quickest tenth is compared: a busy machine makes others slow by chance. */
const QUIET = 0.1;
const WARM_UPS = 20;

/** Owners by what they have: jobs that are shown, and archived ones. */
const OWNERS = [
  { user: benchUsers[0] ?? '', shown: FEW, archived: 0 },
  { user: benchUsers[1] ?? '', shown: jobs, archived: 0 },
  { user: benchUsers[2] ?? '', shown: FEW, archived: jobs },
];

const HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const LISTS = [
  { name: 'a page of jobs in JSON', path: '/jobs?LIMIT=50' },
  { name: 'a page of jobs in XML', path: '/jobs?LIMIT=50', accept: 'application/xml' },
  { name: 'the newest 50 jobs', path: '/jobs?LAST=50' },
  { name: 'jobs that have not ended', path: '/jobs?LIMIT=50&PHASE=QUEUED&PHASE=EXECUTING' },
  { name: 'jobs at a destination', path: '/jobs?LIMIT=5&DESTINATION=d3' },
  { name: 'jobs by a name that many have', path: '/jobs?LIMIT=50&NAME=run' },
  { name: 'jobs by a name that nobody has', path: '/jobs?LIMIT=50&NAME=absent' },
  // A whole page of a thousand jobs that have it, beside two of two.
  { name: 'jobs by a name that one in fifty has', path: '/jobs?LIMIT=50&NAME=run%2049', most: 8 },
  { name: 'jobs that ended after a time', path: `/jobs?LIMIT=20&ENDEDAFTER=${HOUR_AGO}` },
  { name: 'counts of jobs', path: `/jobs?LIMIT=1&COUNTS=${HOUR_AGO}` },
  { name: 'jobs before a time', path: `/jobs?LIMIT=20&BEFORE=${new Date().toISOString()}` },
  { name: 'everybody’s jobs', path: '/jobs?LIMIT=50&OWNER=*', administrator: true },
  { name: 'a page of asks', path: '/asks?limit=50' },
  { name: 'everybody’s asks', path: '/asks?limit=50&owner=*', administrator: true },
  { name: 'a page of offers', path: '/offers?limit=20' },
  { name: 'open offers', path: '/offers?status=OFFERED' },
  { name: 'everybody’s open offers', path: '/offers?status=OFFERED&owner=*', administrator: true },
];

/** Rows like those of an ask that was made, as an executor leaves them; 10 of each owner's jobs still wait. */
const FILL = `
  WITH kept AS MATERIALIZED (
    SELECT a.document, a.inputs, o.promise FROM offer o JOIN ask a ON a.id = o.ask_id LIMIT 1),
  fresh AS MATERIALIZED (
    SELECT uuidv7() AS ask, uuidv7() AS id, g, $3::boolean AS archived,
      now() - (g + 1) * interval '1 minute' AS at FROM generate_series(1, $2::int) g),
  asks AS (
    INSERT INTO ask (id, owner, name, created_at, result, document, bytes, inputs, rules_digest,
      trace_key, reasons)
    SELECT ask, $1, 'run ' || g, at, 'YES', kept.document, 1000, kept.inputs, 'old', 'old', '[]'
    FROM fresh, kept),
  offers AS (
    INSERT INTO offer (id, ask_id, place, owner, state, destination_id, runner, expires_at, promise,
      cores, memory_mib, scratch_mib, starts_at, duration_s, start_window_s, release_s)
    SELECT id, ask, 0, $1, (CASE WHEN g > 10 OR archived THEN 'COMPLETED' ELSE 'WAITING' END)::session_state,
      'd' || g % 10, 'process', at, kept.promise, 2000, 4096, 1024, at, 60, 1, 1 FROM fresh, kept)
  INSERT INTO job (id, owner, run_id, created_at, start_mode, start_before, started_at, ended_at,
    archived_at, execution_s, destruction_at)
  SELECT id, $1, 'run ' || g, at, 'AUTO', now(), at, CASE WHEN g > 10 OR archived THEN at END,
    CASE WHEN archived THEN at END, 60, now() + interval '7 days' FROM fresh`;

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
  const folder = await mkdtemp(join(tmpdir(), 'planner-lists-'));
  steps.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const cluster = await startEmbedded({ directory: folder });
  steps.push(cluster.stop);
  const planner = await startPlanner(cluster, folder, 10, []);
  steps.push(planner.stop);
  for (const { user } of OWNERS) {
    const headers = { 'Content-Type': 'application/yaml', Authorization: credentialOf(user) };
    const asked = { method: 'POST', headers, body: YES_ASK };
    for (let n = 0; n < 3; n += 1) await fetch(`${planner.server.url}/request`, asked);
  }
  await fill(planner.client);
  const slow: string[] = [];
  for (const {
    name,
    path,
    accept = 'application/json',
    administrator = false,
    most = MOST_TIMES,
  } of LISTS) {
    const times = OWNERS.map((): number[] => []);
    // One request of each in turn, so that whatever else the machine does slows down all of them.
    for (let n = -WARM_UPS; n < requests; n += 1) {
      for (const [index, { user }] of OWNERS.entries()) {
        const who = administrator ? (benchUsers.at(-1) ?? '') : user;
        const sent = performance.now();
        await read(planner.server.url + path, { Accept: accept, Authorization: credentialOf(who) });
        if (n >= 0) times[index]?.push(performance.now() - sent);
      }
    }
    const [few = [], many = [], archived = []] = times;
    const ratio = (of: readonly number[]): number => quantile(of, QUIET) / quantile(few, QUIET);
    console.log(
      `${name}: ${quantile(few, QUIET).toFixed(1)} ms of ${FEW} jobs; of ${jobs} ` +
        `${ratio(many).toFixed(2)} times, of ${jobs} archived ones and ${FEW} ` +
        `${ratio(archived).toFixed(2)} times`,
    );
    // Without a number it is not within the limit, either.
    if (![many, archived].every((times) => ratio(times) <= most)) slow.push(name);
  }
  if (slow.length > 0) throw new Error(`too long beside lists of ${FEW} jobs: ${slow.join(', ')}`);
}

/** @throws Error for any other answer than the list */
async function read(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}

/** Foreign keys are known to be right and not checked for each row. */
async function fill(client: Client): Promise<void> {
  await client.query('SET session_replication_role = replica');
  await client.query(`UPDATE offer SET expires_at = now() + interval '1 day'`);
  for (const { user, shown, archived } of OWNERS) {
    await client.query(FILL, [`user:${user}`, archived, true]);
    await client.query(FILL, [`user:${user}`, shown, false]);
  }
  await client.query('SET session_replication_role = origin');
  await client.query('VACUUM ANALYZE ask, offer, job');
}
