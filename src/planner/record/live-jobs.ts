import type { Database } from '../../db/client.ts';
import type { OtherJob } from '../../vortex/index.ts';

/**
 * More kinds of jobs than a description may list; of a site with so
 * many, rules see the largest ones.
 */
const MOST_KINDS = 10_000;

/**
 * The jobs that are accepted and not over, as the rules know them: by the tool, user and
 * destination of their asks. Accepted and not yet running is `queued`. Reads the database.
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
