import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { hostname } from 'node:os';
import { setInterval } from 'node:timers';
import { Logger as GraphileLogger, run, type TaskList } from 'graphile-worker';
import { schedule } from 'node-cron';
import { openDatabase } from '../src/db/client.ts';
import { listen } from '../src/db/listen.ts';
import { openQueuePool } from '../src/db/queue-pool.ts';
import { createClaims } from '../src/executor/claims.ts';
import { createExecutor } from '../src/executor/executor.ts';
import { forecastRound } from '../src/executor/forecasting.ts';
import { guaranteeRound } from '../src/executor/guarantees.ts';
import { tidyLeft } from '../src/executor/left-files.ts';
import { tidyRound } from '../src/executor/tidying.ts';
import { handsOf, openHeartbeat } from '../src/executor/heartbeat.ts';
import { digestOfTexts, readHanded, readHandedDigest } from '../src/executor/handed-site.ts';
import { createKeeping } from '../src/executor/results-room.ts';
import { inheritRound } from '../src/executor/inherited-files.ts';
import { openEar } from '../src/executor/queue-ear.ts';
import {
  homeNamesOf,
  messageFor,
  nameOfDirectory,
  type ReachableJobs,
} from '../src/executor/reachable-jobs.ts';
import { siteRunners } from '../src/executor/site-runners.ts';
import { openDisc } from '../src/places/disc.ts';
import { loadPlugins, reloadPlugins } from '../src/plugins/load.ts';
import { siteOfTexts } from '../src/site/load.ts';
import { openStager } from '../src/storage/open.ts';
import { parseObjectId, parseOfferId, type JobId } from '../src/words/ids.ts';
import { errorCode } from '../src/words/system-error.ts';
import { logCron } from './cron-log.ts';
import { openLog } from '../src/log.ts';
import { readWorkerEnvironment, requireDatabase } from './environment.ts';
import { endWithParent } from './lifetime.ts';

/**
 * The executor's process: takes messages from the queue, runs jobs through their runners, and
 * renews its leases.
 */
const LEASE_S = 10;
const BEAT_MS = 2000;
/** Starts at the same time; following a job needs no slot. */
const CONCURRENCY = 16;

const onEnd = endWithParent();
const { databaseUrl, jobsDirectory, pluginsDirectory, executorHost, logLevel, logFormat } =
  readWorkerEnvironment(process.env);
const log = openLog('executor', { logLevel, logFormat });
logCron(log);
await requireDatabase(databaseUrl);
const database = openDatabase(databaseUrl, 5, 'executor');
onEnd(() => database.$disconnect());
const host = executorHost ?? hostname();
const name = `${host}:${process.pid}:${randomUUID().slice(0, 8)}`;
const plugins = await loadPlugins(pluginsDirectory);
const handed = await readHanded(database);
if (handed === undefined)
  throw new Error('no planner has handed over its site file: start one on this database first');
const site = siteOfTexts(handed, plugins);
const { digest: inForce } = handed;
if (digestOfTexts(handed, plugins.digest) !== inForce)
  log.warn(
    { directory: pluginsDirectory },
    'the plug-ins here are others than those of the planner whose site is in force',
  );
const stager = await openStager(site, plugins.storagePlugins);
const runners = await siteRunners(site, jobsDirectory, stager, host);
const home: ReachableJobs = {
  host,
  runners: runners.all.map((runner) => runner.name),
  ...(runners.shared.length > 0 && {
    shared: { home: nameOfDirectory(jobsDirectory), destinations: runners.shared },
  }),
};
const claims = createClaims(database, { executor: name, home, leaseSeconds: LEASE_S });
const disc = openDisc([jobsDirectory], site.results.keepFree, () => performance.now());
const results = createKeeping(jobsDirectory);
const executor = createExecutor({ claims, runners, stager, home, keeping: results, disc, log });
onEnd(executor.close);
const atHome = homeNamesOf(home).flatMap((place) => [
  [messageFor('stop', place), forJob(executor.stop)],
  [messageFor('remove', place), forJob(executor.remove)],
]);
const taskList: TaskList = {
  execute: forJob(executor.execute),
  look,
  remove: forJob(executor.remove),
  release,
  ...Object.fromEntries(atHome),
};

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
const logger = new GraphileLogger(
  () => (level, message) => log[LEVELS[level]]({ queue: true }, message),
);

await buryDead();
// Aborts arrive at once through NOTIFY; the heartbeat finds them if this connection is down.
const abortListener = listen({
  url: databaseUrl,
  name: 'executor',
  channel: 'abort',
  onMessage: (job) =>
    void forJob(executor.abort)({ job }).catch((err: unknown) =>
      log.error({ err }, 'abort failed'),
    ),
  onLost: (err) => log.warn({ err }, 'the connection that hears aborts was lost; the beat goes on'),
});
onEnd(abortListener.close);
const { pool: pgPool, close: closePool } = openQueuePool(
  databaseUrl,
  CONCURRENCY + 2,
  ({ message }) => log.warn({ why: message }, 'a connection of the queue was lost'),
);
onEnd(closePool);
const events = new EventEmitter();
const hands = handsOf(events);
const ear = openEar(events, () => hands.messages.size >= CONCURRENCY);
const heartbeat = openHeartbeat({
  database,
  name,
  host,
  hands,
  runners: runners.byDestination,
  clock: () => performance.now(),
});
onEnd(heartbeat.end);
const queue = await run({
  pgPool,
  taskList,
  concurrency: CONCURRENCY,
  noHandleSignals: true,
  pollInterval: 1000,
  logger,
  events,
});
let isEnding = false;
onEnd(async () => {
  isEnding = true;
  await queue.stop();
});
// The library stops for good when it cannot say that a message is done, for example because the
// database died just then. An executor without a queue would begin no job; the next one does.
void queue.promise
  .catch((err: unknown) => log.error({ err }, 'the queue failed'))
  .then(() => giveUp('the queue has stopped'));
await heartbeat.beat();
const asking = schedule(
  '*/5 * * * * *',
  () =>
    forecastRound({ database, runners, destinations: site.destinations, log }).catch(
      (err: unknown) => log.error({ err }, 'forecasts failed'),
    ),
  { noOverlap: true, name: 'forecasts' },
);
onEnd(async () => asking.stop());
const keeping = schedule(
  '*/2 * * * * *',
  () =>
    guaranteeRound({ database, runners, destinations: site.destinations, log }).catch(
      (err: unknown) => log.error({ err }, 'guarantees failed'),
    ),
  { noOverlap: true, name: 'guarantees' },
);
onEnd(async () => keeping.stop());
const inheriting = schedule(
  '30 * * * * *',
  () =>
    inheritRound({ database, home, jobsRoot: jobsDirectory, log }).catch((err: unknown) =>
      log.error({ err }, 'files of dead hosts could not be searched'),
    ),
  { noOverlap: true, name: 'heirs' },
);
onEnd(async () => inheriting.stop());
const tidying = schedule(
  '*/10 * * * * *',
  () =>
    tidyRound(database, jobsDirectory).catch((err: unknown) =>
      log.error({ err }, 'files of dead executors could not be removed'),
    ),
  { noOverlap: true, name: 'tidying' },
);
onEnd(async () => tidying.stop());
void tidyLeft(database, jobsDirectory, results).catch((err: unknown) =>
  log.warn({ err }, 'files besides results could not be removed'),
);
/** A handed-over site file that cannot be used here. */
let refused: string | undefined;
keepUp('beat', executor.beat);
keepUp('look at the site', followSite);
keepUp('sign of life', signOfLife);
log.info(
  {
    executor: name,
    runners: runners.all.map(({ name: runner, isolation }) =>
      isolation === undefined ? runner : `${runner}: ${isolation}`,
    ),
  },
  'executor is ready',
);

async function signOfLife(): Promise<void> {
  try {
    await heartbeat.beat();
  } catch (error) {
    ear.excuse();
    throw error;
  }
  if (ear.missed()) giveUp('the queue hears no messages although the database answers');
}

function giveUp(why: string): void {
  if (isEnding) return;
  log.error(`${why}: this executor ends, and the next one goes on`);
  process.kill(process.pid, 'SIGTERM');
}

function forJob(work: (job: JobId) => Promise<void>) {
  return async (payload: unknown): Promise<void> => {
    const job = jobOf(payload);
    if (job === undefined) log.error({ payload }, 'a message of the queue has no valid job');
    else await work(job);
  };
}

function jobOf(payload: unknown): JobId | undefined {
  const { job } = Object(payload);
  return typeof job === 'string' ? parseOfferId(job) : undefined;
}

async function release(payload: unknown): Promise<void> {
  const { object } = Object(payload);
  const id = typeof object === 'string' ? parseObjectId(object) : undefined;
  if (id === undefined) log.error({ payload }, 'a message of the queue has no valid object');
  else await executor.release(id);
}

async function look(payload: unknown): Promise<void> {
  const { destination } = Object(payload);
  if (typeof destination === 'string') await executor.look(destination);
  else log.error({ payload }, 'a message of the queue has no valid destination');
}

/**
 * Frees the jobs of dead executors on this host, which need not wait for their leases to expire.
 */
async function buryDead(): Promise<void> {
  const isDead = (executorName: string): boolean => {
    try {
      process.kill(Number(executorName.split(':').at(-2)), 0);
      return false;
    } catch (error) {
      return errorCode(error) === 'ESRCH';
    }
  };
  await claims.bury((await claims.neighbours()).filter(isDead));
}

/** Runs every two seconds, never twice at a time. */
function keepUp(what: string, work: () => Promise<void>): void {
  let under: Promise<void> | undefined;
  const timer = setInterval(() => {
    under ??= work()
      .catch((err: unknown) => log.error({ err }, `${what} failed`))
      .finally(() => {
        under = undefined;
      });
  }, BEAT_MS);
  onEnd(async () => {
    clearInterval(timer);
    await under;
  });
}

/**
 * Ends when another site file was handed over; the next process uses that one. Running jobs go on.
 */
async function followSite(): Promise<void> {
  const digest = await readHandedDigest(database);
  if (digest === undefined || digest === inForce || digest === refused) return;
  try {
    const texts = await readHanded(database);
    if (texts === undefined) return;
    const known = await reloadPlugins(pluginsDirectory, plugins);
    const next = siteOfTexts(texts, known);
    const nextStager = await openStager(next, known.storagePlugins);
    const opened = await siteRunners(next, jobsDirectory, nextStager, host);
    for (const runner of opened.all) await runner.close();
  } catch (err) {
    refused = digest;
    log.error(
      { err, digest },
      'the site file that was handed over cannot be used here; the previous one stays in force',
    );
    return;
  }
  log.info(
    { digest },
    'another site file is in force: this executor ends, and the next one has it',
  );
  process.kill(process.pid, 'SIGTERM');
}
