import type { Express } from 'express';
import type { Logger } from 'pino';
import { openTrail } from './audit/trail.ts';
import { openDatabase, type Database } from './db/client.ts';
import { DIALECTS } from './dialects/all.ts';
import { followForecasts } from './forecasts.ts';
import { environmentWith, openEnding, openMigrated, openPlaces, type Ending } from './ground.ts';
import { boundHeap } from './heap.ts';
import { configurationOf } from './http/admin/configuration.ts';
import { createApp, type AppParts } from './http/app.ts';
import { openDocuments } from './http/body/documents.ts';
import { claimPort, drain, listenForRequests, urlOf } from './http/edge/listen.ts';
import { healthChecks } from './http/health-checks.ts';
import { openEngineHealth } from './http/metrics/engine-health.ts';
import { createMetrics, type Metrics } from './http/metrics/metrics.ts';
import { figuresOf } from './http/metrics/rules-metrics.ts';
import { readContract } from './http/service-routes.ts';
import { openDoorkeeper, type Doorkeeper } from './identity/identify.ts';
import { learnEnvironments, openInForce, type PlannerInForce } from './in-force.ts';
import { openLog } from './log.ts';
import { NO_PEERS, type Peers } from './peers/channel.ts';
import { openDisc } from './places/disc.ts';
import { plainOf } from './places/writable.ts';
import { createPlanner, type Planner } from './planner/planner.ts';
import type { Settings } from './settings.ts';
import type { IdentityTerms } from './site/identity.ts';
import { followSources } from './sources-in-force.ts';
import type { PlannerLine } from './tree/line.ts';
import { keepPlanners } from './tree/planners.ts';
import { keepWorkers } from './tree/workers.ts';
import { readFirstSite, siteCheck } from './usable-site.ts';
import { openWaiters } from './uws/live/waiters.ts';

/** A running service. */
export type Service = {
  /** where it listens, for clients on this machine */
  readonly url: string;
  /** what its operator must know before anybody uses it; undefined: nothing */
  readonly warning: string | undefined;
  /**
   * reads the site file and the rule files again and puts each in force if it has no errors; the
   * log has the result
   */
  readonly reload: () => Promise<void>;
  /** finishes what is under way and stops every process of the service */
  readonly stop: () => Promise<void>;
};

/** A planner that answers, alone or beside others. */
type RunningPlanner = Service & { readonly site: string };

/** What a planner has for its requests, beside what is in force. */
type DeskParts = Pick<AppParts, 'database' | 'waiters' | 'doorkeeper' | 'log'> & {
  readonly settings: Settings;
};

type DecidingParts = Pick<PlannerInForce, 'site' | 'drained' | 'rules'> &
  Pick<Parameters<typeof createPlanner>[0], 'database' | 'log' | 'count' | 'disc' | 'peers'>;

/**
 * Connections of the pools of all planners. More do not make a database faster
 * (docs/guides/performance.md).
 */
const POOL = 20;
/** A planner with fewer makes accepts wait for asks. */
const LEAST_POOL = 5;

/**
 * Starts everything: database, sandbox, HTTP, executor, sweeper.
 *
 * @throws CannotStart when the site file or a rule file cannot be used, the database cannot be
 *   reached, the port or the data directory is taken; the parts that were started are stopped again
 */
export async function startService(
  given: Settings,
  environment: NodeJS.ProcessEnv,
): Promise<Service> {
  if (given.planners === 1) return startPlanner(given, environment);
  const log = openLog('planner', given);
  const { onStop, stop } = openEnding(log);
  try {
    const settings = openPlaces(given);
    const databaseUrl = await openMigrated(settings, log, onStop);
    const port = await claimPort(settings);
    const own = { ...environmentWith(environment, settings, databaseUrl), PORT: `${port}` };
    const planners = await keepPlanners(settings.planners, own, log);
    const { url, site, warning, reload } = planners;
    // The planners handed the site over, without which there is no executor.
    onStop(keepWorkers(own, log).stop);
    onStop(planners.stop);
    log.info({ url, site, planners: settings.planners }, 'ready');
    return { url, warning, reload, stop: () => stop().then(() => log.info('stopped')) };
  } catch (error) {
    await stop();
    throw plainOf(error);
  }
}

/**
 * Starts a planner: what it decides by, then what answers requests. One that has no line to a
 * service is the service: it has the database, the executor and the sweeper, too.
 *
 * @throws CannotStart as `startService`
 */
export async function startPlanner(
  given: Settings,
  environment: NodeJS.ProcessEnv,
  line?: PlannerLine,
): Promise<RunningPlanner> {
  boundHeap();
  const log = openLog('planner', given).child(line === undefined ? {} : { planner: line.number });
  const { onStop, stop } = openEnding(log);
  try {
    const first = await readFirstSite(given);
    const settings = openPlaces(given);
    const check = siteCheck(settings, log);
    const warning = await check(first.site, first.plugins);
    const learning = learnEnvironments(first.site, settings, log, onStop);
    const databaseUrl = await openMigrated(settings, log, onStop);
    const database = openPool(databaseUrl, settings.planners, onStop);
    const inForce = await openInForce({ first, learning, check, settings, database, log }, onStop);
    const waiters = openWaiters({
      url: databaseUrl,
      onDrains: () => void inForce.drained.read(),
      onLost: (err) => log.warn({ err }, 'the connection that hears changes was lost'),
    });
    onStop(() => waiters.close());
    const doorkeeper = await openDoors(first.site.identity, line ?? NO_PEERS, log);
    const app = await openApp(
      { settings, database, waiters, doorkeeper, log },
      inForce,
      line,
      onStop,
    );
    if (line === undefined)
      onStop(keepWorkers(environmentWith(environment, settings, databaseUrl), log).stop);
    const server = await listenForRequests(app, { ...settings, isShared: line !== undefined });
    onStop(() => drain(server));
    onStop(async () => waiters.release());
    const url = urlOf(server, settings.host);
    const site = first.site.name;
    log.info({ url, site }, line === undefined ? 'ready' : 'a planner is ready');
    return {
      url,
      warning,
      site,
      reload: inForce.site.reload,
      stop: () => stop().then(() => log.info('stopped')),
    };
  } catch (error) {
    await stop();
    throw plainOf(error);
  }
}

function openPool(url: string, planners: number, onStop: Ending['onStop']): Database {
  const database = openDatabase(url, Math.max(LEAST_POOL, Math.ceil(POOL / planners)));
  onStop(() => database.$disconnect());
  return database;
}

/** Who asks? */
async function openDoors(terms: IdentityTerms, peers: Peers, log: Logger): Promise<Doorkeeper> {
  const doorkeeper = await openDoorkeeper(terms, Date.now, peers.channel('password'));
  void doorkeeper.warm();
  for (const message of doorkeeper.warnings()) log.warn({ message }, 'who asks');
  return doorkeeper;
}

/** How are requests answered? */
async function openApp(
  parts: DeskParts,
  inForce: PlannerInForce,
  line: PlannerLine | undefined,
  onStop: Ending['onStop'],
): Promise<Express> {
  const { settings, database, doorkeeper, log } = parts;
  const { site, drained, rules, environments } = inForce;
  const peers = line ?? NO_PEERS;
  const metrics = metricsOf(database, inForce, peers);
  const disc = openDisc(
    [settings.jobsDirectory, settings.dataDirectory],
    site.site().results.keepFree,
    () => performance.now(),
  );
  const planner = await openPlanner(
    { site, drained, rules, database, log, count: metrics.answered, disc, peers },
    onStop,
  );
  const sources = followSources(site.site);
  onStop(async () => sources.close());
  const contract = await readContract();
  const documents = openDocuments(settings.maxBodyKib, contract.document);
  onStop(documents.close);
  const trail = openTrail(database, log);
  onStop(trail.close);
  return createApp({
    ...parts,
    types: site.types,
    dialects: DIALECTS,
    planner,
    readUrl: sources.read,
    site: drained.site,
    readDrains: drained.read,
    metrics: line === undefined ? metrics : { ...metrics, scrape: line.metricsOfAll(metrics) },
    peers,
    checks: healthChecks({
      database,
      disc,
      rules,
      inForce: site,
      environments,
      doorkeeper,
      siteFile: settings.siteFile,
      peers,
    }),
    engines: openEngineHealth(database, () => performance.now()),
    configuration: () => configurationOf(rules, site, settings.siteFile),
    contract,
    documents,
    trail,
  });
}

/** Who decides? */
async function openPlanner(
  { site, drained, rules, ...parts }: DecidingParts,
  onStop: Ending['onStop'],
): Promise<Planner> {
  const forecasts = await followForecasts(
    parts.database,
    () => site.site().destinations.values(),
    parts.log,
  );
  onStop(forecasts.close);
  return createPlanner({
    ...parts,
    sandbox: rules.sandbox,
    site: drained.site,
    clock: Date.now,
    forecasts: forecasts.known,
  });
}

function metricsOf(
  database: Database,
  { rules, fetcher, site }: PlannerInForce,
  { number }: Peers,
): Metrics {
  return createMetrics(
    database,
    rules.sandbox.stats,
    () => figuresOf(rules),
    fetcher?.stats,
    () => site.site().destinations,
    number,
  );
}
