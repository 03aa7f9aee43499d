import { pino } from 'pino';
import { openDatabase } from '../../../src/db/client.ts';
import { openDocuments } from '../../../src/http/body/documents.ts';
import { followEnvironments } from '../../../src/environments-in-force.ts';
import { boundHeap } from '../../../src/heap.ts';
import { openTrail } from '../../../src/audit/trail.ts';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { createApp } from '../../../src/http/app.ts';
import { createMetrics } from '../../../src/http/metrics/metrics.ts';
import { readContract } from '../../../src/http/service-routes.ts';
import { openDoorkeeper } from '../../../src/identity/identify.ts';
import { createPlanner } from '../../../src/planner/planner.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { writeCapacities } from '../../../src/schedule/book.ts';
import { writeResultPools } from '../../../src/schedule/results.ts';
import { readSettings } from '../../../src/settings.ts';
import { readRuleFiles } from '../../../src/rules/read.ts';
import { builtInKnown } from '../../../src/plugins/types.ts';
import { loadSite } from '../../../src/site/load.ts';
import { resultPoolsOf } from '../../../src/site/results.ts';
import { openWaiters } from '../../../src/uws/live/waiters.ts';
import { endWithParent } from '../../../workers/lifetime.ts';
import { listen } from '../measures/listen.ts';

/*
 * The planner's own process as src/main.ts makes it, without executor and sweeper: accepted jobs
 * stay in the queue, so that the accept is measured and not a thousand programs of the `process`
 * runner.
 */

boundHeap();
const reading = readSettings(process.env);
if (!reading.ok) throw new Error(reading.problems.join('\n'));
const { settings } = reading;
const url = settings.databaseUrl;
if (url === undefined) throw new Error('DATABASE_URL is not set');
const log = pino({ name: 'planner', level: settings.logLevel });
const read = await loadSite(settings.siteFile);
const environments = followEnvironments(() => read, log);
await environments.learn(read);
const site = environments.complete(read);
const database = openDatabase(url, 20);
const sandbox = openSandbox();
const report = await sandbox.load(await readRuleFiles(site));
if (report.kind !== 'loaded')
  throw new Error(`the rules of the bench do not load: ${JSON.stringify(report)}`);
await writeCapacities(
  database,
  new Map([...site.destinations].map(([id, { capacity }]) => [id, capacity])),
);
await writeResultPools(database, resultPoolsOf(site));
const waiters = openWaiters({
  url,
  onLost: (err) => log.warn({ err }, 'the connection that hears changes was lost'),
});
const metrics = createMetrics(database, sandbox.stats);
const planner = createPlanner({
  database,
  sandbox,
  site: () => site,
  log,
  count: metrics.answered,
  clock: Date.now,
});
const contract = await readContract();
await listen(
  createApp({
    settings,
    database,
    planner,
    waiters,
    doorkeeper: await openDoorkeeper(site.identity, Date.now),
    site: () => site,
    readDrains: async () => undefined,
    types: () => builtInKnown,
    dialects: DIALECTS,
    metrics,
    checks: [],
    contract,
    documents: openDocuments(settings.maxBodyKib, contract.document),
    trail: openTrail(database, log),
    log,
  }),
);

endWithParent()(() => sandbox.close());
