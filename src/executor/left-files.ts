import { readdir, stat } from 'node:fs/promises';
import type { Database } from '../db/client.ts';
import { runsOf } from '../planner/judge/runs.ts';
import type { Promised } from '../planner/offer.ts';
import { directoryOf } from '../runners/run/directory.ts';
import { parseOfferId, type JobId } from '../words/ids.ts';
import { machineRunId } from '../words/run-id.ts';
import type { ResultsRoom } from './results-room.ts';

/** Jobs that one statement asks for. */
const MOST = 100;
/** The executor that ended a job removes its files within this time, or it died. */
const REMOVED_BY_S = 60;

/**
 * Removes what jobs left besides their results, where an executor died between their end in the
 * book and that. Done once, when an executor begins: it looks at the directory of each job.
 */
export async function tidyLeft(
  database: Database,
  jobsRoot: string,
  keeping: Pick<ResultsRoom, 'tidy'>,
): Promise<void> {
  const names = await readdir(jobsRoot).catch(() => []);
  const left: JobId[] = [];
  for (const job of names.flatMap((name) => parseOfferId(name) ?? []))
    if (await isLeft(jobsRoot, job)) left.push(job);
  for (let from = 0; from < left.length; from += MOST) {
    const rows = await database.$queryRaw<{ id: JobId; promise: Promised; paths: string[] }[]>`
      SELECT o.id, o.promise, ARRAY(SELECT r.path FROM job_result r WHERE r.job_id = o.id) AS paths
      FROM offer o JOIN job j ON j.id = o.id WHERE o.id = ANY (${left.slice(from, from + MOST)}::uuid[])
      AND j.ended_at < clock_timestamp() - make_interval(secs => ${REMOVED_BY_S})`;
    for (const { id, promise, paths } of rows)
      await keeping.tidy(id, runsOf(promise).length, paths);
  }
}

/** The folder of temporary files is made for every run, and none of it is ever kept. */
async function isLeft(jobsRoot: string, job: JobId): Promise<boolean> {
  for (const run of [job, machineRunId(job, 0)])
    if (await stat(directoryOf(jobsRoot, run).tmp).catch(() => undefined)) return true;
  return false;
}
