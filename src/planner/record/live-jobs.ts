import type { Database } from '../../db/client.ts';
import type { OtherJob } from '../../vortex/index.ts';

/** Rules see at most this many kinds of jobs, the most frequent ones. */
const MOST_KINDS = 10_000;

/**
 * The live jobs as the rules know them, by tool, user and destination. A job that is accepted but
 * not running is `queued`.
 */
export async function readLiveJobs(database: Database): Promise<readonly OtherJob[]> {
  return database.$queryRaw<OtherJob[]>`
  SELECT a.inputs #>> '{job,tool,id}' AS "toolId",
    CASE WHEN o.state IN ('RUNNING', 'RELEASING') THEN 'running' ELSE 'queued' END AS state,
    o.destination_id AS destination,
    a.inputs #>> '{job,user,id}' AS "userId", a.inputs #>> '{job,user,email}' AS "userEmail",
    count(*)::int AS count, sum(o.cores)::float8 / 1000 AS cores, sum(o.memory_mib)::float8 / 1024 AS mem
  FROM job j JOIN offer o ON o.id = j.id JOIN ask a ON a.id = o.ask_id
  WHERE j.ended_at IS NULL AND a.inputs #>> '{job,tool,id}' IS NOT NULL
  GROUP BY 1, 2, 3, 4, 5 ORDER BY count(*) DESC LIMIT ${MOST_KINDS}`;
}
