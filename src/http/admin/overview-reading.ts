import type { Database } from '../../db/client.ts';
import { readExecutors, type LiveExecutor } from '../../executor/live-executors.ts';
import { readDrains, type Drain } from '../../schedule/drains.ts';
import { readResultsUse, type ResultsUsed } from '../../schedule/results.ts';
import {
  readHoldings,
  readQueues,
  readUse,
  type Holding,
  type Queue,
  type Use,
} from '../../schedule/use.ts';
import type { Site } from '../../site/site.ts';
import type { JobCount } from '../../uws/store/job-counts.ts';
import type { EngineStates } from '../../vosi/engines.ts';

/** What was read for an overview. */
export type OverviewReading = {
  readonly site: Site;
  /** milliseconds since 1970 */
  readonly now: number;
  readonly drains: readonly Drain[];
  readonly use: ReadonlyMap<string, Use>;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly results: ReadonlyMap<string, ResultsUsed>;
  readonly engines: EngineStates;
  readonly executors: readonly LiveExecutor[];
  readonly holdings: readonly Holding[];
  readonly jobs: readonly JobCount[];
};

/**
 * @param engines absent for a service without executors
 * @param countJobs counts all jobs, or says what was counted lately
 */
export async function readForOverview(
  database: Database,
  site: Site,
  engines: (() => Promise<EngineStates>) | undefined,
  countJobs: () => Promise<readonly JobCount[]>,
): Promise<OverviewReading> {
  const pools = [...site.destinations.values()].flatMap(({ results }) => results?.name ?? []);
  const [drains, use, queues, results, states, executors, holdings, jobs] = await Promise.all([
    readDrains(database),
    readUse(database),
    readQueues(database),
    readResultsUse(database, [...new Set(pools)]),
    engines?.() ?? new Map(),
    readExecutors(database),
    readHoldings(database),
    countJobs(),
  ]);
  return {
    site,
    now: Date.now(),
    drains,
    use,
    queues,
    results,
    engines: states,
    executors,
    holdings,
    jobs,
  };
}
