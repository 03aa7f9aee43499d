import { setImmediate as immediate } from 'node:timers/promises';
import { queryFast, type Database } from '../../db/client.ts';
import type { JobId } from '../../words/ids.ts';
import { readJobDecision } from './decision.ts';
import { readJobError } from './error-column.ts';
import { readUsage } from './usage-column.ts';
import type { Job } from '../job.ts';
import { openKept } from './kept-jobs.ts';

/** Longest value that a job is read with, characters; documents show a longer one by reference. */
const LONGEST_VALUE = 4000;
/** Highest place in the queue to count to. */
const FARTHEST = 1000;
/** Most jobs in one statement. */
const BATCH = 200;

type Row = Omit<Job, 'error' | 'decision' | 'usage'> & {
  readonly error: unknown;
  readonly usage: unknown;
  readonly version: string;
};

const VERSIONS = 'SELECT id, version FROM job_versions($1::uuid[], $2::int)';

type Reader = (id: JobId) => Promise<Job | undefined>;

type Batch = {
  readonly ids: Set<JobId>;
  readonly jobs: Promise<ReadonlyMap<JobId, Job>>;
  asked: number;
};

const readers = new WeakMap<Database, Reader>();

/**
 * Reads a job with its offer, parameters and results; undefined for a missing or destroyed job.
 * Callers at the same time share one reading.
 */
export function readJob(database: Database, id: JobId): Promise<Job | undefined> {
  return readerOf(database)(id);
}

function readerOf(database: Database): Reader {
  const known = readers.get(database);
  if (known !== undefined) return known;
  const reader = openReader(database);
  readers.set(database, reader);
  return reader;
}

/**
 * Collects the jobs that callers want while a statement runs, and then reads them with one
 * statement: first the versions of the kept jobs, then all jobs that are new or changed. No caller
 * gets a state from before its call.
 */
function openReader(database: Database): Reader {
  const kept = openKept();
  const read = async (ids: readonly JobId[]): Promise<ReadonlyMap<JobId, Job>> => {
    const known = ids.filter(kept.has);
    const versions =
      known.length === 0 ? new Map<string, string>() : await readVersions(database, known);
    const found = new Map<JobId, Job>();
    for (const id of known) {
      const job = kept.get(id, versions.get(id));
      if (job !== undefined) found.set(id, job);
    }
    if (found.size === ids.length) return found;
    const rows = await readRows(
      database,
      ids.filter((id) => !found.has(id)),
    );
    await Promise.all(
      rows.map(async (row) => {
        const job = await jobOf(database, row);
        kept.set(job, row.version);
        found.set(job.id, job);
      }),
    );
    return found;
  };

  let next: Batch | undefined;
  let before: Promise<unknown> = Promise.resolve();
  const start = (): Batch => {
    const ids = new Set<JobId>();
    const jobs = before.then(async () => {
      await arrivals(batch);
      if (next?.ids === ids) next = undefined;
      return read([...ids]);
    });
    before = jobs.catch(() => undefined);
    const batch = { ids, jobs, asked: 0 };
    return batch;
  };
  return async (id) => {
    if (next === undefined || next.ids.size >= BATCH) next = start();
    next.ids.add(id);
    next.asked += 1;
    return (await next.jobs).get(id);
  };
}

/** Reads the present versions of the jobs, by id; leaves missing jobs out. */
async function readVersions(
  database: Database,
  ids: readonly JobId[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await queryFast(database, 'job_versions', VERSIONS, [ids, FARTHEST]);
  return new Map(
    rows.map((row) => {
      const { id, version } = Object(row);
      return [String(id), String(version)];
    }),
  );
}

/**
 * Reads with one statement, so that phase, times, error, results and version belong to the same
 * instant (`read_jobs` in prisma/functions.sql).
 */
function readRows(database: Database, ids: readonly JobId[]): Promise<readonly Row[]> {
  return database.$queryRaw<readonly Row[]>`
  SELECT * FROM read_jobs(${ids}::uuid[], ${LONGEST_VALUE}::int, ${FARTHEST}::int)`;
}

async function jobOf(database: Database, row: Row): Promise<Job> {
  return {
    ...row,
    error: readJobError(row.error),
    usage: readUsage(row.usage),
    decision: await readJobDecision(database, row.id),
  };
}

/** Waits for the requests that have arrived already, and for those that arrive meanwhile. */
async function arrivals(batch: Pick<Batch, 'ids' | 'asked'>): Promise<void> {
  let counted = 0;
  do {
    counted = batch.asked;
    await immediate();
  } while (batch.asked > counted && batch.ids.size < BATCH);
}
