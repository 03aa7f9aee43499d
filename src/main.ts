import { join } from 'node:path';
import { pino, type Logger } from 'pino';
import { isConnected, openDatabase } from './db/client.ts';
import { startEmbedded } from './db/embedded.ts';
import { ensureDatabase, migrate } from './db/migrate.ts';
import { siteRunners } from './executor/site-runners.ts';
import { followForecasts } from './forecasts.ts';
import { createApp } from './http/app.ts';
import { openEngineHealth } from './http/engine-health.ts';
import { drain, listen, urlOf } from './http/listen.ts';
import { createMetrics } from './http/metrics.ts';
import type { RulesFigures } from './http/rules-metrics.ts';
import { degradedBy, readContract, type Check } from './http/service-routes.ts';
import { jobsHome } from './places/home.ts';
import { openDoors } from './identity/identify.ts';
import { loadPlugins, type Plugins } from './plugins/load.ts';
import { createPlanner } from './planner/planner.ts';
import { openCopies } from './rules/copy.ts';
import { rulesTrouble } from './rules/health.ts';
import { openKeeper, type RulesKeeper } from './rules/keeper.ts';
import { openRequests } from './rules/requests.ts';
import type { Fetcher } from './sandbox/fetcher.ts';
import { openSandbox } from './sandbox/open.ts';
import { probeSandbox } from './sandbox/probe.ts';
import { writeCapacities } from './schedule/book.ts';
import { writeStores } from './schedule/stores.ts';
import type { Settings } from './settings.ts';
import { loadSite } from './site/load.ts';
import { openStager } from './storage/open.ts';
import type { Site } from './site/site.ts';
import { keepWorker } from './tree.ts';
import { openWaiters } from './uws/waiters.ts';
import { sharedFor } from './words/shared-for.ts';

/** A service that answers. */
export type Service = {
  /** where it listens, for clients on this machine */
  readonly url: string;
  /** reads the rule files again and puts them in force when nothing is wrong with them; the log says what came of it */
  readonly reload: () => Promise<void>;
  /** finishes what is under way, stops every process it started, and resolves */
  readonly stop: () => Promise<void>;
};

/** Connections of the planner's pool: more do not make one database faster (docs/performance.md). */
const POOL = 20;
const DATABASE = 'planner';
/** Whoever looks at the health of the service, the sandbox is asked no more often. */
const SANDBOX_ASKED_MS = 5000;

type Step = () => Promise<unknown>;

const openDatabaseServer = async (settings: Settings, log: Logger, onStop: (step: Step) => void): Promise<string> => {
  if (settings.databaseUrl !== undefined) return settings.databaseUrl;
  const server = await startEmbedded({
    directory: settings.dataDirectory,
    onLost: (err) => log.error({ err }, 'embedded PostgreSQL is lost'),
  });
  onStop(server.stop);
  log.info({ adopted: server.adopted, directory: settings.dataDirectory }, 'embedded PostgreSQL runs');
  await ensureDatabase(server.url('postgres'), DATABASE);
  return server.url(DATABASE);
};

/** Offers are promises: a machine that cannot run jobs is told now, and not by jobs that wait for an executor. */
const checkRunners = async (site: Site, { jobsDirectory }: Settings, { storagePlugins }: Plugins): Promise<void> => {
  await openStager(site, storagePlugins);
  for (const runner of siteRunners(site, jobsDirectory).all) await runner.close();
};

/** The rules of the site in force; closed before the database, so that nothing is asked behind it. */
const openRules = (site: Site, { dataDirectory }: Settings, fetcher: Fetcher | undefined, log: Logger): Promise<RulesKeeper> =>
  openKeeper({
    site, log, clock: Date.now,
    copies: openCopies(join(dataDirectory, 'rules')),
    open: () => openSandbox({ ...site.sandbox, jitless: !site.sandbox.jit, ...(fetcher && { fetcher }) }),
  });

const figuresOf = ({ state, counts }: RulesKeeper): RulesFigures => {
  const { kind, inForce: { rules: { digest }, since } } = state();
  return { digest, since, isCurrent: kind !== 'kept', reloads: counts() };
};

const rulesCheck = ({ state }: RulesKeeper, siteFile: string): Check => ({
  name: 'rules',
  run: async () => {
    const problems = rulesTrouble(state(), siteFile);
    return problems && { kind: 'degraded', problems };
  },
});

/**
 * Starts everything: database, sandbox, HTTP, executor, sweeper. The only function that knows everybody.
 *
 * @throws CannotStart when the site file or a rule file cannot be used, the database cannot be reached, the port or the data
 *   directory is taken; whatever was started is stopped again.
 */
export const startService = async (given: Settings, environment: NodeJS.ProcessEnv): Promise<Service> => {
  const log = pino({ name: 'planner', level: given.logLevel });
  const steps: Step[] = [];
  const onStop = (step: Step): void => void steps.unshift(step);
  const stop = async (): Promise<void> => {
    // One step that fails must not leave the processes of the others behind.
    for (const step of steps.splice(0)) await step().catch((err: unknown) => log.error({ err }, 'a part could not be stopped in order'));
  };
  try {
    const plugins = await loadPlugins(given.pluginsDirectory);
    const site = await loadSite(given.siteFile, plugins.taskTypes, plugins.computeTypes);
    const settings = { ...given, jobsDirectory: jobsHome(given) };
    await checkRunners(site, settings, plugins);
    const databaseUrl = await openDatabaseServer(settings, log, onStop);
    const applied = await migrate(databaseUrl);
    if (applied.length > 0) log.info({ applied }, 'database migrated');
    const database = openDatabase(databaseUrl, POOL);
    onStop(() => database.$disconnect());
    // One for all reloads, so that what it keeps outlives them.
    const fetcher = openRequests(site);
    onStop(async () => fetcher?.close());
    const rules = await openRules(site, settings, fetcher, log);
    onStop(() => rules.close());
    const { sandbox } = rules;
    await writeCapacities(database, new Map([...site.destinations].map(([id, { capacity }]) => [id, capacity])));
    await writeStores(database, new Map(site.storage.map(({ name, size }) => [name, size])));
    const waiters = openWaiters({ url: databaseUrl, onLost: (err) => log.warn({ err }, 'the connection that hears changes was lost') });
    onStop(() => waiters.close());
    const metrics = createMetrics(database, sandbox.stats, () => figuresOf(rules), fetcher?.stats);
    const doors = await openDoors(site.identity, Date.now);
    void doors.warm();
    const forecasts = await followForecasts(database, site.destinations.values(), log);
    onStop(forecasts.close);
    const planner = createPlanner({ database, sandbox, site: () => site, log, count: metrics.answered, clock: Date.now, forecasts: forecasts.known });
    const checks: readonly Check[] = [
      { name: 'database', run: async () => void (await database.$queryRaw`SELECT 1`) },
      ...(['executor', 'sweeper'] as const).map((name): Check => ({
        name, run: async () => ((await isConnected(database, name)) ? undefined : 'is not running'),
      })),
      { name: 'sandbox', run: sharedFor(SANDBOX_ASKED_MS, () => performance.now(), () => probeSandbox(sandbox)) },
      rulesCheck(rules, settings.siteFile),
      { name: 'identity', run: async () => degradedBy(doors.problems()) },
    ];
    const app = createApp({ settings, types: plugins, database, planner, waiters, doors, site: () => site, metrics, checks, engines: openEngineHealth(database, () => performance.now()), contract: await readContract(), log });
    const workers = (['executor', 'sweeper'] as const).map((name) =>
      keepWorker(name, { ...environment, DATABASE_URL: databaseUrl, JOBS_DIR: settings.jobsDirectory, SITE_FILE: settings.siteFile }, log));
    onStop(() => Promise.all(workers.map((worker) => worker.stop())));
    const server = await listen(app, settings);
    onStop(() => drain(server));
    onStop(async () => waiters.release());
    const url = urlOf(server, settings.host);
    log.info({ url, site: site.name }, 'ready');
    return {
      url,
      reload: rules.reload,
      stop: async () => {
        await stop();
        log.info('stopped');
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
