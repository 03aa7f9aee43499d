import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Whose } from '../../identity/owners.ts';
import { afterShown } from './after-shown.ts';
import { phaseOf, type JobProgress, type Phase } from '../phases.ts';

/** How many jobs an owner has in a phase. */
export type JobCount = {
  readonly owner: string;
  /** last known name of an issuer's user */
  readonly name: string | null;
  readonly phase: Phase;
  readonly count: number;
};

/** How many jobs there are in each phase that has some. */
export type PhaseCounts = {
  readonly phases: readonly { readonly phase: Phase; readonly jobs: number }[];
  /** false: there are more */
  readonly complete: boolean;
};

/** Most jobs that are counted, of those that have not ended and of the others: 10 ms of reading. */
const MOST_COUNTED = 1000;

/**
 * Counts jobs of these owners that have not ended, and those that ended after a time; archived ones
 * are not among them.
 *
 * @param most at most this number of each of the two
 */
export async function countRecent(
  database: Database,
  whose: Whose,
  since: Date,
  most = MOST_COUNTED,
): Promise<PhaseCounts> {
  const ofOwner =
    whose === 'everybody' ? Prisma.empty : Prisma.sql`owner = ANY (${whose}::text[]) AND`;
  // One more tells whether there are more.
  const jobs = (isMeant: Prisma.Sql): Prisma.Sql => Prisma.sql`
    (SELECT id, start_mode, unknown_since, ended_at IS NULL AS live FROM job
     WHERE ${ofOwner} ${isMeant} AND archived_at IS NULL AND destroyed_at IS NULL
     LIMIT ${most + 1})`;
  const rows = await database.$queryRaw<
    (Pick<JobProgress, 'state' | 'startMode'> & {
      readonly live: boolean;
      readonly count: number;
    })[]
  >`
    SELECT shown_state(o.state, j.unknown_since) AS state, j.start_mode::text AS "startMode",
      j.live, count(*)::int AS count
    FROM (${jobs(Prisma.sql`ended_at IS NULL`)} UNION ALL
          ${jobs(Prisma.sql`ended_at >= ${afterShown(since)}`)}) AS j
    JOIN offer o ON o.id = j.id GROUP BY 1, 2, 3`;
  const sum = (of: typeof rows): number => of.reduce((all, { count }) => all + count, 0);
  const groups = Map.groupBy(rows, (row) => phaseOf({ ...row, archived: false }));
  const [live, ended] = [rows.filter((row) => row.live), rows.filter((row) => !row.live)];
  return {
    phases: [...groups].map(([phase, own]) => ({ phase, jobs: sum(own) })),
    complete: Math.max(sum(live), sum(ended)) <= most,
  };
}

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
