import type { Database } from '../db/client.ts';
import { tidy, type Standing } from '../runners/process/tidy.ts';
import { jobOfRun, type RunId } from '../words/run-id.ts';

/**
 * Does one round: removes what executors that died between two steps left in the directory of jobs.
 */
export function tidyRound(database: Database, jobsRoot: string): Promise<void> {
  return tidy(jobsRoot, async (runs: readonly RunId[]) => {
    const jobs = runs.map((run) => jobOfRun(run).job);
    const rows = await database.$queryRaw<{ id: string; attempt: number; over: boolean }[]>`
    SELECT id, attempt, ended_at IS NOT NULL AS over FROM job WHERE id = ANY (${[...new Set(jobs)]}::uuid[])`;
    const standings = new Map<string, Standing>(
      rows.map(({ id, attempt, over }) => [id, over ? 'over' : attempt]),
    );
    return jobs.map((job) => standings.get(job));
  });
}
