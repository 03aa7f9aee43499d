import { setImmediate as immediate } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import type { JobId } from '../words/ids.ts';
import { readDecision } from './decision.ts';
import { readJobError } from './error-column.ts';
import type { Job } from './job.ts';

/** Longer values are given by reference, and not read with every look at the job. */
const LONGEST_VALUE = 4000;
/** A place in the queue is counted up to here. */
const FARTHEST = 1000;
/** Most jobs in one statement. */
const BATCH = 200;

type Row = Omit<Job, 'error' | 'decision'> & { readonly error: unknown };

/** One statement, so that phase, times, error and results are of the same instant: `read_jobs` in prisma/migrations. */
const readRows = (database: Database, ids: readonly JobId[]): Promise<readonly Row[]> => database.$queryRaw<readonly Row[]>`
  SELECT * FROM read_jobs(${ids}::uuid[], ${LONGEST_VALUE}::int, ${FARTHEST}::int)`;

type Reader = (id: JobId) => Promise<Job | undefined>;

type Batch = { readonly ids: Set<JobId>; readonly jobs: Promise<ReadonlyMap<string, Job>> };

const jobOf = async (database: Database, row: Row): Promise<Job> =>
  ({ ...row, error: readJobError(row.error), decision: await readDecision(database, row.id) });

/**
 * Reads with one statement what was asked for while the one before was under way. Nobody is given a row that was read
 * before he asked. With a statement for each, or two at a time, a GET took a quarter more of the processor.
 */
const openReader = (database: Database): Reader => {
  let next: Batch | undefined;
  let before: Promise<unknown> = Promise.resolve();
  const start = (): Batch => {
    const ids = new Set<JobId>();
    const jobs = before.then(async () => {
      // Everybody whose request has arrived already comes along.
      await immediate();
      if (next?.ids === ids) next = undefined;
      const rows = await readRows(database, [...ids]);
      return new Map((await Promise.all(rows.map((row) => jobOf(database, row)))).map((job) => [job.id, job]));
    });
    before = jobs.catch(() => undefined);
    return { ids, jobs };
  };
  return async (id) => {
    if (next === undefined || next.ids.size >= BATCH) next = start();
    next.ids.add(id);
    return (await next.jobs).get(id);
  };
};

const readers = new WeakMap<Database, Reader>();

const readerOf = (database: Database): Reader => {
  const known = readers.get(database);
  if (known !== undefined) return known;
  const reader = openReader(database);
  readers.set(database, reader);
  return reader;
};

/** One job with its offer, parameters and results, or undefined when there is none or it was destroyed. Shared by all who ask at the same time. */
export const readJob = (database: Database, id: JobId): Promise<Job | undefined> => readerOf(database)(id);
