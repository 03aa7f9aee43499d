import { collectDefaultMetrics, Counter, type Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import type { FetchStats } from '../../sandbox/fetcher.ts';
import type { SandboxStats } from '../../sandbox/sandbox.ts';
import { PHASES, phaseOf, type JobProgress } from '../../uws/phases.ts';
import type { RefusalCode } from '../../words/catalogue.ts';
import { sharedIfSlow } from '../../words/shared-for.ts';
import { registerDestinations } from './destination-metrics.ts';
import { gaugesOf } from './gauges.ts';
import { registerJobs } from './job-metrics.ts';
import type { Listed } from './labels.ts';
import { registerRecords } from './records-metrics.ts';
import { registerPools } from './pool-metrics.ts';
import { registerResults } from './results-metrics.ts';
import { registerRules, type RulesFigures } from './rules-metrics.ts';
import { registerSandbox } from './sandbox-metrics.ts';

/** What the service counts, in the text format of Prometheus. */
export type Metrics = {
  /** content type of the texts */
  readonly type: string;
  readonly scrape: () => Promise<string>;
  /** what this process counts */
  readonly own: () => Promise<string>;
  /** what is in the database, which every planner reports alike */
  readonly shared: () => Promise<string>;
  readonly answered: (result: 'YES' | 'NO', codes: readonly RefusalCode[], seconds: number) => void;
  readonly decided: (verdict: string) => void;
};

type Live = { readonly offers: number; readonly trips: number };
type JobsOfPhase = JobProgress & { readonly count: number };

/**
 * Gauges of prom-client with names in `_total`, which promtool refuses; each has a twin by type.
 */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Registers all metrics. A scrape reads the gauges from the database, so that every replica reports
 * the same.
 *
 * @param planner number of this planner, where its service has others; a label then says it
 */
export function createMetrics(
  database: Database,
  sandbox: () => SandboxStats,
  rules?: () => RulesFigures,
  requests?: () => FetchStats,
  listed: Listed = () => new Map(),
  planner?: number,
): Metrics {
  const [registry, shared] = [new Registry(), new Registry()];
  if (planner !== undefined) registry.setDefaultLabels({ planner });
  const registers = [registry];
  const gauge = gaugesOf(shared);
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const asks = new Counter({
    name: 'planner_asks_total',
    help: 'Asks answered, by result',
    labelNames: ['result'],
    registers,
  });
  const refusals = new Counter({
    name: 'planner_refusals_total',
    help: 'NO answers that gave this reason',
    labelNames: ['code'],
    registers,
  });
  const decisions = new Counter({
    name: 'planner_offer_updates_total',
    help: 'Updates of offers, by verdict, conflicts included',
    labelNames: ['verdict'],
    registers,
  });
  const seconds = new Histogram({
    name: 'planner_ask_seconds',
    help: 'Time from a parsed ask to its written answer',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2],
    registers,
  });
  if (rules !== undefined) registerRules(registry, rules);
  registerSandbox(registry, sandbox, requests);
  const fillRecords = registerRecords(shared, database);
  const fillResults = registerResults(shared, database);
  const fillPools = registerPools(shared, database);
  const fillDestinations = registerDestinations(shared, database, listed);
  const fillJobs = registerJobs(shared, database, listed);
  const gauges = {
    up: gauge('planner_database_up', '1 when the database answered this scrape'),
    offers: gauge('planner_offers_live', 'Offers that can be accepted now'),
    trips: gauge(
      'planner_oversell_guard_trips',
      'Times that reservations exceeded the capacity, or would have without the refusal of the table; must stay 0',
    ),
  };
  const jobs = gauge('planner_jobs', 'Jobs by UWS phase; a slow count serves ten times as long', [
    'phase',
  ]);
  // A million kept jobs take 2 s; a scrape each 15 s would keep an eighth of a core at work.
  const countJobs = sharedIfSlow(
    () => performance.now(),
    () => readJobs(database),
  );
  const readShared = async (): Promise<string> => {
    await Promise.all([
      fill(database, gauges),
      fillPhases(countJobs, jobs),
      fillRecords(),
      fillResults(),
      fillPools(),
      fillDestinations(),
      fillJobs(),
    ]);
    return shared.metrics();
  };
  return {
    answered: (result, codes, took) => {
      asks.inc({ result });
      seconds.observe(took);
      for (const code of codes) refusals.inc({ code });
    },
    decided: (verdict) => decisions.inc({ verdict }),
    type: registry.contentType,
    own: () => registry.metrics(),
    shared: readShared,
    scrape: async () => `${await registry.metrics()}\n${await readShared()}`,
  };
}

async function fill(
  database: Database,
  { up, offers, trips }: Readonly<Record<'up' | 'offers' | 'trips', Gauge>>,
): Promise<void> {
  const live = await readLive(database).catch(() => undefined);
  up.set(live === undefined ? 0 : 1);
  offers.set(live?.offers ?? 0);
  trips.set(live?.trips ?? 0);
}

/** No values when they cannot be read, since no jobs would be an answer. */
async function fillPhases(read: () => Promise<readonly JobsOfPhase[]>, jobs: Gauge): Promise<void> {
  const found = await read().catch(() => undefined);
  jobs.reset();
  if (found === undefined) return;
  for (const phase of PHASES) jobs.set({ phase }, 0);
  for (const row of found) jobs.inc({ phase: phaseOf(row) }, row.count);
}

async function readLive(database: Database): Promise<Live> {
  const [offers, trips] = await Promise.all([
    database.$queryRaw<
      { count: number }[]
    >`SELECT count(*)::int AS count FROM offer WHERE state = 'OFFERED' AND expires_at > clock_timestamp()`,
    database.$queryRaw<{ count: number }[]>`
      SELECT ((SELECT count(*) FROM oversell_trip) + (SELECT CASE WHEN is_called THEN last_value
        ELSE 0 END FROM oversell_refusal))::int AS count`,
  ]);
  return { offers: offers[0]?.count ?? 0, trips: trips[0]?.count ?? 0 };
}

function readJobs(database: Database): Promise<readonly JobsOfPhase[]> {
  return database.$queryRaw<JobsOfPhase[]>`
    SELECT shown_state(o.state, j.unknown_since) AS state, j.start_mode::text AS "startMode",
      j.archived_at IS NOT NULL AS archived, count(*)::int AS count
    FROM job j JOIN offer o ON o.id = j.id WHERE j.destroyed_at IS NULL GROUP BY 1, 2, 3`;
}
