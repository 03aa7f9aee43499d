import { pino } from 'pino';
import { openTrail } from '../../src/audit/trail.ts';
import { DIALECTS, type OpenDialect } from '../../src/dialects/all.ts';
import { openDrainedSite } from '../../src/drained-site.ts';
import { createApp, type AppParts } from '../../src/http/app.ts';
import { openDocuments } from '../../src/http/body/documents.ts';
import { listenForRequests, urlOf } from '../../src/http/edge/listen.ts';
import { createMetrics } from '../../src/http/metrics/metrics.ts';
import { readContract } from '../../src/http/service-routes.ts';
import { openDoorkeeper } from '../../src/identity/identify.ts';
import { createPlanner } from '../../src/planner/planner.ts';
import { openRequests } from '../../src/rules/requests.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { writeCapacities } from '../../src/schedule/book.ts';
import { writeResultPools } from '../../src/schedule/results.ts';
import { writeStores } from '../../src/schedule/stores.ts';
import { readRuleFiles } from '../../src/rules/read.ts';
import { builtInKnown } from '../../src/plugins/types.ts';
import { loadSite } from '../../src/site/load.ts';
import { resultPoolsOf } from '../../src/site/results.ts';
import { openWaiters } from '../../src/uws/live/waiters.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { writeSite, type TestSite } from './site.ts';

/** The usual number of trials for a nearest answer, however long a slow machine takes. */
const ADVICE = { decisions: 8, trials: 24, sure: 24, ms: 50 };

/**
 * The planner's HTTP side on a free port with the real database and sandbox; no executor, no
 * sweeper.
 */
export type TestService = {
  readonly url: string;
  readonly db: TestDatabase;
  readonly site: TestSite;
  /** the number of requests that wait for a change */
  readonly waiting: () => number;
  readonly close: () => Promise<void>;
};

/**
 * @param more settings other than the defaults
 * @param dialects instead of the service's
 */
export async function startTestService(
  site: object | string,
  rules: object | string,
  more: Partial<AppParts['settings']> = {},
  dialects: readonly OpenDialect[] = DIALECTS,
): Promise<TestService> {
  const files = await writeSite(site, rules);
  const db = await openTestDatabase(20);
  const log = pino({ level: 'silent' });
  const loaded = await loadSite(files.siteFile);
  const fetcher = openRequests(loaded);
  const sandbox = openSandbox({ ...loaded.sandbox, ...(fetcher && { fetcher }) });
  const report = await sandbox.load(await readRuleFiles(loaded));
  if (report.kind !== 'loaded') throw new Error(JSON.stringify(report));
  await writeCapacities(
    db.database,
    new Map([...loaded.destinations].map(([id, { capacity }]) => [id, capacity])),
  );
  await writeResultPools(db.database, resultPoolsOf(loaded));
  await writeStores(db.database, new Map(loaded.storage.map(({ name, size }) => [name, size])));
  const drained = await openDrainedSite(db.database, () => loaded, log);
  const waiters = openWaiters({
    url: db.url,
    onDrains: () => void drained.read(),
    onLost: () => undefined,
  });
  const metrics = createMetrics(
    db.database,
    sandbox.stats,
    undefined,
    fetcher?.stats,
    () => loaded.destinations,
  );
  const planner = createPlanner({
    database: db.database,
    sandbox,
    site: drained.site,
    log,
    count: metrics.answered,
    clock: Date.now,
    advice: ADVICE,
  });
  const settings = {
    host: '127.0.0.1',
    hosts: [],
    publicUrl: undefined,
    trustProxy: false as const,
    maxBodyKib: 256,
    jobsDirectory: files.folder,
    ...more,
  };
  const contract = await readContract();
  const documents = openDocuments(settings.maxBodyKib, contract.document);
  const trail = openTrail(db.database, log);
  const app = createApp({
    settings,
    database: db.database,
    planner,
    waiters,
    doorkeeper: await openDoorkeeper(loaded.identity, Date.now),
    site: drained.site,
    readDrains: drained.read,
    types: () => builtInKnown,
    dialects,
    metrics,
    checks: [],
    contract,
    documents,
    trail,
    log,
  });
  const { host } = settings;
  const server = await listenForRequests(app, { ...settings, port: 0 });
  return {
    url: urlOf(server, host),
    db,
    site: files,
    waiting: () => waiters.size(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await documents.close();
      await trail.close();
      await waiters.close();
      drained.close();
      await sandbox.close();
      fetcher?.close();
      await db.close();
      await files.remove();
    },
  };
}
