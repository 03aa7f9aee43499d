import { queryFast, type Database } from '../../db/client.ts';
import { scopeOwners } from '../../quotas/scopes.ts';
import type { Quota } from '../../site/quotas.ts';

/** What counts for a scope of quotas now: answers and jobs, millicores, MiB, GPU-seconds. */
export type QuotaUse = {
  readonly holds: number;
  readonly jobs: number;
  readonly cores: number;
  readonly memory: number;
  readonly gpuS: number;
  readonly results: number;
};

/**
 * Counts as the transaction does that writes an answer (`quota_usage` in prisma/functions.sql).
 *
 * @param windowS how far back GPUs count, seconds
 */
export async function readQuotaUse(
  database: Database,
  scope: string,
  windowS: number,
): Promise<QuotaUse> {
  const [row] = await queryFast(
    database,
    'quota_use',
    `SELECT holds::float8, jobs::float8, cores::float8, memory::float8, gpu_s::float8, results::float8
     FROM quota_usage($1, make_interval(secs => $2::float8), true)`,
    [scope, windowS],
  );
  const { holds, jobs, cores, memory, gpu_s: gpuS, results } = Object(row);
  return {
    holds: Number(holds),
    jobs: Number(jobs),
    cores: Number(cores),
    memory: Number(memory),
    gpuS: Number(gpuS),
    results: Number(results),
  };
}

/**
 * The work that a scope has reserved at each destination, in seconds of the whole destination;
 * only destinations where it has some.
 *
 * @param isOwner the scope is an owner, whose work is added up without a quota, too
 */
export async function readWorkUse(
  database: Database,
  scope: string,
  isOwner: boolean,
  destinations: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await queryFast(
    database,
    'work_use',
    `SELECT d AS destination, w.work FROM unnest($3::text[]) d, work_used($1, $2, d) AS w (work)
     WHERE w.work > 0`,
    [scope, isOwner, destinations],
  );
  return new Map(
    rows.map((row) => {
      const { destination, work } = Object(row);
      return [String(destination), Number(work)];
    }),
  );
}

/** The answers of an owner whose offers can still be accepted, those of all planners. */
export async function countOpenAnswers(database: Database, owner: string): Promise<number> {
  const [row] = await queryFast(
    database,
    'open_answers_of',
    `SELECT count(DISTINCT r.ask_id)::int AS count FROM reservation r JOIN ask a ON a.id = r.ask_id
     WHERE r.state = 'HELD' AND r.expires_at > clock_timestamp() AND a.owner = $1`,
    [owner],
  );
  return Number(Object(row).count);
}

/**
 * Lets quotas count what was asked for before they were in force, as long as it counts: open answers,
 * jobs that are not over, GPUs used within the window, and results. A quota of a role counts
 * what is asked for from now on: nobody knows which roles the client of an answer had.
 */
export async function countEarlier(database: Database, quotas: readonly Quota[]): Promise<void> {
  const counting = quotas.filter(({ limits }) => COUNTED.some((key) => limits[key] !== undefined));
  const scopes = scopeOwners(counting);
  if (scopes.length === 0) return;
  // Without GPU hours, ended reservations are not read: they may be many, and have no index for this.
  const longest = Math.max(
    0,
    ...counting.map(({ limits: { gpuSeconds, window } }) =>
      gpuSeconds === undefined ? 0 : window,
    ),
  );
  await database.$executeRaw`
    INSERT INTO quota_use (scope, ask_id)
    SELECT DISTINCT coalesce(s.scope, a.owner), a.id
    FROM jsonb_to_recordset(${JSON.stringify(scopes)}::jsonb) AS s(scope text, owners text[], others text[])
    JOIN ask a ON (s.owners IS NULL OR a.owner = ANY (s.owners)) AND a.owner <> ALL (s.others)
    WHERE a.id IN (
      SELECT ask_id FROM reservation WHERE state IN ('HELD', 'FIRM')
      UNION ALL
      SELECT ask_id FROM reservation
      WHERE ${longest}::float8 > 0 AND state = 'RELEASED' AND offer_id IS NOT NULL AND gpus > 0
        AND ends_at > clock_timestamp() - make_interval(secs => ${longest}::float8)
      UNION ALL
      SELECT o.ask_id FROM result_use u JOIN offer o ON o.id = u.job_id)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING`;
}

/** Limits of what is asked for, which {@link countEarlier} finds in the book. */
const COUNTED = ['holds', 'jobs', 'cores', 'memory', 'gpuSeconds', 'results', 'share'] as const;
