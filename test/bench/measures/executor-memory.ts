import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { openDatabase } from '../../../src/db/client.ts';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { ensureDatabase, migrate } from '../../../src/db/migrate.ts';
import { handOver } from '../../../src/executor/handed-site.ts';
import { builtInKnown } from '../../../src/plugins/types.ts';
import { writeCapacities } from '../../../src/schedule/book.ts';
import { writeResultPools } from '../../../src/schedule/results.ts';
import { readSiteTexts, siteOfTexts } from '../../../src/site/load.ts';
import { resultPoolsOf } from '../../../src/site/results.ts';
import { WORKER_OPTIONS } from '../../../src/tree/workers.ts';
import { makeOffers } from './book.ts';
import { writeBenchSite } from '../site.ts';

/*
 * node --no-warnings test/bench/measures/executor-memory.ts [--jobs 10000] [--every 1000]
 * [--snapshots <folder>] [--plain]
 *
 * Does the memory of an executor grow? workers/executor.ts in its own process, as the service
 * starts it, runs this many jobs (`true`, by the `process` runner); the first half of each part is
 * destroyed. It prints the memory after each part. --plain: without the service's own options of
 * V8.
 */

const { values: options } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    every: { type: 'string', default: '1000' },
    snapshots: { type: 'string' },
    plain: { type: 'boolean', default: false },
  },
});
const jobs = Number(options.jobs);
const every = Number(options.every);
const LOOK_MS = 200;
const MIB = 2 ** 20;

const folder = await mkdtemp(join(tmpdir(), 'planner-memory-'));
// Jobs run as their own users, who must reach their folders.
await chmod(folder, 0o755);
const cluster = await startEmbedded({ directory: folder });
const name = 'planner';
await ensureDatabase(cluster.url('postgres'), name);
const url = cluster.url(name);
await migrate(url);

const ACCEPT =
  "SELECT verdict FROM accept_offer($1::uuid, 'anonymous', 'AUTO', interval '1 hour', interval '7 days')";

await handSite();
const executor = startExecutor();
const exited = once(executor, 'exit');
const client = new Client({ connectionString: url });
try {
  await client.connect();
  if (options.snapshots !== undefined) await mkdir(options.snapshots, { recursive: true });
  console.log(
    '| jobs | RSS MiB | heapUsed MiB | heapTotal MiB | external MiB | seconds |\n|---|---|---|---|---|---|',
  );
  for (let done = 0; ; done += every) {
    const begun = performance.now();
    if (done > 0) await runPart(client, every);
    console.log(
      `| ${done} | ${await memoryOf(executor, done)} | ${((performance.now() - begun) / 1000).toFixed(0)} |`,
    );
    if (done >= jobs) break;
  }
} finally {
  executor.kill('SIGTERM');
  await exited;
  await client.end();
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Does what a planner does before its executor: hands over the site and writes its capacities. */
async function handSite(): Promise<void> {
  const { siteFile } = await writeBenchSite(join(folder, 'site'), 1);
  const texts = await readSiteTexts(siteFile, builtInKnown);
  const site = siteOfTexts(texts, builtInKnown);
  const database = openDatabase(url, 1);
  await writeCapacities(
    database,
    new Map([...site.destinations].map(([id, { capacity }]) => [id, capacity])),
  );
  await writeResultPools(database, resultPoolsOf(site));
  await handOver(database, texts);
  await database.$disconnect();
}

function startExecutor(): ChildProcess {
  return fork(fileURLToPath(new URL('../../../workers/executor.ts', import.meta.url)), [], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: url,
      DATA_DIR: folder,
      JOBS_DIR: join(folder, 'jobs'),
      LOG_LEVEL: 'info',
    },
    execArgv: [
      ...(options.plain ? ['--no-warnings'] : WORKER_OPTIONS),
      '--expose-gc',
      '--import',
      new URL('../processes/memory-probe.ts', import.meta.url).href,
    ],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

async function memoryOf(executor: ChildProcess, done: number): Promise<string> {
  const answer = once(executor, 'message');
  executor.send({
    measure: true,
    ...(options.snapshots !== undefined && {
      snapshot: join(options.snapshots, `${done}.heapsnapshot`),
    }),
  });
  const { rss, heapUsed, heapTotal, external } = Object(Object((await answer)[0]).measured);
  return [rss, heapUsed, heapTotal, external]
    .map((bytes) => (Number(bytes) / MIB).toFixed(1))
    .join(' | ');
}

/**
 * Accepts this many jobs at once, and waits until all have ended and half are destroyed.
 * @throws Error if one did not complete
 */
async function runPart(client: Client, count: number): Promise<void> {
  const ids = await makeOffers(client, count, 1);
  for (const id of ids) await client.query(ACCEPT, [id]);
  const left = async (text: string, values: readonly unknown[]): Promise<number> =>
    Number((await client.query(text, [...values])).rows[0]?.n);
  while ((await left('SELECT count(*)::int AS n FROM job WHERE ended_at IS NULL', [])) > 0)
    await sleep(LOOK_MS);
  const failed = await left(
    "SELECT count(*)::int AS n FROM offer WHERE id = ANY ($1::uuid[]) AND state <> 'COMPLETED'",
    [ids],
  );
  if (failed > 0) throw new Error(`${failed} of ${count} jobs did not complete`);
  const destroyed = ids.slice(0, Math.floor(count / 2));
  for (const id of destroyed) await client.query('SELECT destroy_job($1::uuid)', [id]);
  while (
    (await left('SELECT count(*)::int AS n FROM job WHERE id = ANY ($1::uuid[])', [destroyed])) > 0
  )
    await sleep(LOOK_MS);
}
