import type { Database } from '../../db/client.ts';
import { phaseOf, type JobProgress, type Phase } from '../phases.ts';

/** How many jobs an owner has in a phase. */
export type JobCount = {
  readonly owner: string;
  /** last known name of an issuer's user */
  readonly name: string | null;
  readonly phase: Phase;
  readonly count: number;
};

/** Counts all jobs but destroyed ones, those of the owners with most jobs first. */
export async function countJobs(database: Database): Promise<readonly JobCount[]> {
  const rows = await database.$queryRaw<
    (JobProgress & Pick<JobCount, 'owner' | 'name' | 'count'>)[]
  >`
    WITH counted AS (
      SELECT j.owner, shown_state(o.state, j.unknown_since) AS state,
        j.start_mode::text AS "startMode", j.archived_at IS NOT NULL AS archived,
        count(*)::int AS count
      FROM job j JOIN offer o ON o.id = j.id WHERE j.destroyed_at IS NULL GROUP BY 1, 2, 3, 4)
    SELECT c.*, i.name FROM counted c LEFT JOIN identity i ON i.owner = c.owner
    ORDER BY sum(c.count) OVER (PARTITION BY c.owner) DESC, c.owner`;
  const groups = Map.groupBy(rows, (row) => `${phaseOf(row)} ${row.owner}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { owner, name } = first;
    return {
      owner,
      name,
      phase: phaseOf(first),
      count: own.reduce((sum, { count }) => sum + count, 0),
    };
  });
}
