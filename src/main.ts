import { join } from 'node:path';
import type { Logger } from 'pino';
import { openTrail } from './audit/trail.ts';
import { openDatabase } from './db/client.ts';
import { siteRunners } from './executor/site-runners.ts';
import { openDrainedSite } from './drained-site.ts';
import { environmentTags } from './environment-tags.ts';
import { followEnvironments } from './environments-in-force.ts';
import { askEnvironment } from './runners/asking/ask.ts';
import { followForecasts } from './forecasts.ts';
import { exposureOf } from './exposure.ts';
import { DIALECTS } from './dialects/all.ts';
import { configurationOf } from './http/admin/configuration.ts';
import { createApp } from './http/app.ts';
import { openDocuments } from './http/body/documents.ts';
import { openEngineHealth } from './http/metrics/engine-health.ts';
import { claimPort, drain, listenForRequests, urlOf } from './http/edge/listen.ts';
import { createMetrics } from './http/metrics/metrics.ts';
import { figuresOf } from './http/metrics/rules-metrics.ts';
import { healthChecks } from './http/health-checks.ts';
import { readContract } from './http/service-routes.ts';
import { openDisc } from './places/disc.ts';
import { environmentWith, openEnding, openMigrated, openPlaces, withDisc } from './ground.ts';
import { boundHeap } from './heap.ts';
import { plainOf } from './places/writable.ts';
import { openDoorkeeper } from './identity/identify.ts';
import { loadPlugins, reloadPlugins, type Plugins } from './plugins/load.ts';
import { createPlanner } from './planner/planner.ts';
import { openCopies } from './rules/saved-copies.ts';
import { openKeeper, type RulesKeeper } from './rules/keeper.ts';
import { openRequests } from './rules/requests.ts';
import { Enclosing } from './sandbox/enclosure/enclosing.ts';
import type { Fetcher } from './sandbox/fetcher.ts';
import { openSandbox } from './sandbox/open.ts';
import { openLog } from './log.ts';
import { unheldMinima } from './minima.ts';
import type { Settings } from './settings.ts';
import { unlimited } from './site/doubts.ts';
import { openSite } from './site-in-force.ts';
import { readSiteTexts, siteOfTexts } from './site/load.ts';
import { openStager } from './storage/open.ts';
import type { Site } from './site/site.ts';
import { followSources } from './sources-in-force.ts';
import type { PlannerLine } from './tree/line.ts';
import { keepPlanners } from './tree/planners.ts';
import { keepWorkers } from './tree/workers.ts';
import { openWaiters } from './uws/live/waiters.ts';
import type { RuleSource } from './vortex/index.ts';
import { NO_PEERS } from './peers/channel.ts';

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
 * Starts a planner with all its parts; no other function knows them. One that has no line to a
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
  const peers = line ?? NO_PEERS;
  const log = openLog('planner', given).child(line === undefined ? {} : { planner: line.number });
  const { onStop, stop } = openEnding(log);
  try {
    const plugins = await loadPlugins(given.pluginsDirectory);
    const texts = await readSiteTexts(given.siteFile, plugins);
    const read = siteOfTexts(texts, plugins);
    const settings = openPlaces(given);
    const check = siteCheck(settings, log);
    const warning = await check(read, plugins);
    let siteNow: () => Site = () => read;
    const environments = followEnvironments(
      () => siteNow(),
      log,
      (terms, stop) => askEnvironment(terms, settings.jobsDirectory, stop),
    );
    onStop(async () => environments.close());
    // It takes as long as the database needs to start.
    const learned = environments.learn(read);
    const databaseUrl = await openMigrated(settings, log, onStop);
    const database = openDatabase(
      databaseUrl,
      Math.max(LEAST_POOL, Math.ceil(POOL / settings.planners)),
    );
    onStop(() => database.$disconnect());
    const site = await withDisc(read, settings, database, log);
    const disc = openDisc(
      [settings.jobsDirectory, settings.dataDirectory],
      site.results.keepFree,
      () => performance.now(),
    );
    // One for all reloads, so that its cache survives them.
    const fetcher = openRequests(site);
    onStop(async () => fetcher?.close());
    await learned;
    const tags = (): RuleSource | undefined => environmentTags(environments.complete(siteNow()));
    const rules = await openRules(site, settings, fetcher, log, tags);
    environments.onChange(() => void rules.refresh());
    onStop(() => rules.close());
    const { sandbox } = rules;
    const inForce = await openSite({
      database,
      texts,
      site,
      plugins,
      readPlugins: (before) => reloadPlugins(given.pluginsDirectory, before),
      rules,
      log,
      check,
      complete: async (next) => {
        await environments.learn(next);
        return withDisc(next, settings, database, log);
      },
    });
    siteNow = inForce.site;
    onStop(async () => inForce.close());
    const wholeSite = (): Site => environments.complete(inForce.site());
    const drained = await openDrainedSite(database, wholeSite, log);
    onStop(async () => drained.close());
    const waiters = openWaiters({
      url: databaseUrl,
      onDrains: () => void drained.read(),
      onLost: (err) => log.warn({ err }, 'the connection that hears changes was lost'),
    });
    onStop(() => waiters.close());
    const metrics = createMetrics(
      database,
      sandbox.stats,
      () => figuresOf(rules),
      fetcher?.stats,
      () => inForce.site().destinations,
      peers.number,
    );
    const doorkeeper = await openDoorkeeper(site.identity, Date.now, peers.channel('password'));
    void doorkeeper.warm();
    for (const message of doorkeeper.warnings()) log.warn({ message }, 'who asks');
    const forecasts = await followForecasts(
      database,
      () => inForce.site().destinations.values(),
      log,
    );
    onStop(forecasts.close);
    const sources = followSources(inForce.site);
    onStop(async () => sources.close());
    const planner = createPlanner({
      database,
      sandbox,
      site: drained.site,
      log,
      count: metrics.answered,
      clock: Date.now,
      forecasts: forecasts.known,
      disc,
      peers,
    });
    const checks = healthChecks({
      database,
      disc,
      rules,
      inForce,
      environments,
      doorkeeper,
      siteFile: settings.siteFile,
      peers,
    });
    const contract = await readContract();
    const documents = openDocuments(settings.maxBodyKib, contract.document);
    onStop(documents.close);
    const trail = openTrail(database, log);
    onStop(trail.close);
    const app = createApp({
      settings,
      types: inForce.types,
      dialects: DIALECTS,
      database,
      planner,
      readUrl: sources.read,
      waiters,
      doorkeeper,
      site: drained.site,
      readDrains: drained.read,
      metrics: line === undefined ? metrics : { ...metrics, scrape: line.metricsOfAll(metrics) },
      peers,
      checks,
      engines: openEngineHealth(database, () => performance.now()),
      configuration: () => configurationOf(rules, inForce, settings.siteFile),
      contract,
      documents,
      trail,
      log,
    });
    if (line === undefined)
      onStop(keepWorkers(environmentWith(environment, settings, databaseUrl), log).stop);
    const server = await listenForRequests(app, { ...settings, isShared: line !== undefined });
    onStop(() => drain(server));
    onStop(async () => waiters.release());
    const url = urlOf(server, settings.host);
    log.info({ url, site: site.name }, line === undefined ? 'ready' : 'a planner is ready');
    return {
      url,
      warning,
      site: site.name,
      reload: inForce.reload,
      stop: () => stop().then(() => log.info('stopped')),
    };
  } catch (error) {
    await stop();
    throw plainOf(error);
  }
}

/**
 * Checks that this machine can and may run the jobs of a site, and warns of what its operator left
 * open. Offers are promises: a missing engine is found now, not by jobs that wait.
 *
 * @returns a function that throws CannotStart for a site that cannot be used; otherwise it tells
 *   what its operator must know before anybody uses it, or undefined
 */
function siteCheck(settings: Settings, log: Logger) {
  return async (site: Site, { storagePlugins }: Plugins): Promise<string | undefined> => {
    const free = unlimited(site);
    if (free !== undefined) log.warn(free);
    for (const minimum of unheldMinima(site)) log.warn(minimum);
    await openStager(site, storagePlugins);
    for (const runner of (await siteRunners(site, settings.jobsDirectory)).all)
      await runner.close();
    const exposure = exposureOf(site, settings);
    if (exposure !== undefined) log.warn(exposure);
    return exposure;
  };
}

/**
 * The rules of the site in force. They are closed before the database, which they may still use.
 */
function openRules(
  site: Site,
  { dataDirectory }: Settings,
  fetcher: Fetcher | undefined,
  log: Logger,
  tags: () => RuleSource | undefined,
): Promise<RulesKeeper> {
  const enclosing = new Enclosing({
    wish: site.sandbox.isolation,
    tell: (why) =>
      log.info({ why }, 'bubblewrap does not work here: rules are decided outside of it'),
  });
  return openKeeper({
    site,
    log,
    tags,
    clock: Date.now,
    copies: openCopies(join(dataDirectory, 'rules')),
    open: () =>
      openSandbox({ ...site.sandbox, enclosing, spare: true, ...(fetcher && { fetcher }) }),
  });
}
