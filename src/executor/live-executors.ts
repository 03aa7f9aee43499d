import type { Database } from '../db/client.ts';

/** An executor that gave a sign of life lately. */
export type LiveExecutor = {
  readonly name: string;
  readonly host: string;
  /** it counts as dead after this, milliseconds since 1970 */
  readonly until: number;
  /** jobs that it runs */
  readonly jobs: number;
  /** destination -> whether its engine answered; those without an answer yet are missing */
  readonly engines: Readonly<Record<string, boolean>>;
};

/** The executors of all hosts; the sweeper removes dead ones. */
export async function readExecutors(database: Database): Promise<readonly LiveExecutor[]> {
  const rows = await database.$queryRaw<(Omit<LiveExecutor, 'until'> & { until: Date })[]>`
    WITH running AS (
      SELECT j.executor, count(*)::int AS jobs
      FROM reservation r JOIN job j ON j.id = r.offer_id
      WHERE r.state = 'FIRM' AND j.lease_until IS NOT NULL GROUP BY 1)
    SELECT e.name, e.host, e.lease_until AS until, coalesce(r.jobs, 0) AS jobs, e.engines
    FROM executor e LEFT JOIN running r ON r.executor = e.name ORDER BY e.host, e.name`;
  return rows.map(({ until, ...one }) => ({ ...one, until: until.getTime() }));
}
