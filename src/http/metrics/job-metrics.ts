import { Counter, Histogram, type Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { readJobBegins, readJobEnds } from '../../uws/store/job-times.ts';
import { limitConcurrency } from '../../words/concurrency.ts';
import { GONE, type Listed } from './labels.ts';

/** A transaction may become visible this long after its time. */
const LATE_MS = 60_000;
/** New events of one reading; a scrape after a long pause is not slow, and the next one reads on. */
const MOST = 20_000;
const LABELS = ['destination', 'runner'] as const;
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

type Event = {
  readonly id: string;
  readonly at: number;
  readonly destination: string;
  readonly runner: string;
};

/**
 * Registers histograms of jobs that began and ended since the start of this process, of all
 * executors.
 *
 * @returns reads them from the database
 */
export function registerJobs(
  registry: Registry,
  database: Database,
  listed: Listed,
): () => Promise<void> {
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    new Histogram({ name, help, labelNames: LABELS, buckets: [...buckets], registers: [registry] });
  const waited = histogram(
    'planner_job_wait_seconds',
    'Time from accepting an offer to the beginning of its job',
    [1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, DAY, 7 * DAY],
  );
  const late = histogram(
    'planner_job_late_seconds',
    'Time from the promised start to the beginning, of jobs that start by themselves',
    [1, 2, 5, 10, 30, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
  );
  const ran = histogram('planner_job_run_seconds', 'Time from the beginning of a job to its end', [
    1,
    10,
    MINUTE,
    5 * MINUTE,
    15 * MINUTE,
    HOUR,
    4 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
  ]);
  const ended = new Counter({
    name: 'planner_jobs_ended_total',
    help: 'Jobs that ended, by state',
    labelNames: [...LABELS, 'state'],
    registers: [registry],
  });
  const labelsOf = ({ destination, runner }: Event) => ({
    destination: listed().has(destination) ? destination : GONE,
    runner,
  });
  const begins = openEvents((since, most) => readJobBegins(database, since, most));
  const ends = openEvents((since, most) => readJobEnds(database, since, most));
  const oneByOne = limitConcurrency(1);
  const fill = async (): Promise<void> => {
    for (const job of await begins()) {
      waited.observe(labelsOf(job), job.waited);
      if (job.late !== null) late.observe(labelsOf(job), job.late);
    }
    for (const job of await ends()) {
      ended.inc({ ...labelsOf(job), state: job.state });
      if (job.ran !== null) ran.observe(labelsOf(job), job.ran);
    }
  };
  return () => oneByOne(() => fill().catch(() => undefined));
}

/** Gives each event once, also those that become visible late. */
function openEvents<One extends Event>(
  read: (since: number, most: number) => Promise<readonly One[]>,
) {
  const begin = Date.now();
  let newest = begin;
  let seen: ReadonlySet<string> = new Set();
  const keyOf = ({ id, at }: Event): string => `${id} ${at}`;
  return async (): Promise<readonly One[]> => {
    const found = await read(Math.max(begin, newest - LATE_MS), MOST + seen.size);
    const fresh = found.filter((one) => !seen.has(keyOf(one)));
    newest = Math.max(newest, ...found.slice(-1).map(({ at }) => at));
    seen = new Set(found.filter(({ at }) => at > newest - LATE_MS).map(keyOf));
    return fresh;
  };
}
