import type { Database } from '../../db/client.ts';
import type { JobId } from '../../words/ids.ts';
import { homeNamesOf } from '../reachable-jobs.ts';
import type { Claimant } from './claimant.ts';
import { firstRow } from './rows.ts';

const GRACE_S = 300;
/** Jobs that are taken over at once; the next beat finds the others. */
const MOST_ORPHANS = 50;

/**
 * What the book gives an executor to do, and at which destination it looked: `take_job` and
 * `begin_next` in prisma/functions.sql.
 */
export type JobClaim = { readonly destination: string | null } & (
  | { readonly verdict: 'begin' | 'resume' | 'lost' | 'elsewhere'; readonly job: JobId }
  | { readonly verdict: 'crowded' | 'none'; readonly job: null }
);

/** Who has which job. */
export function takingOf(
  database: Database,
  { executor, home, leaseSeconds, graceSeconds = GRACE_S }: Claimant,
) {
  const { host } = home;
  const shared = JSON.stringify({ ...home.shared, runners: home.runners });
  return {
    /**
     * Goes on with this job when its executor is gone, else begins the next one of its destination.
     * @param isFollowed it is ours already
     */
    take: (job: JobId, isFollowed: boolean): Promise<JobClaim> =>
      firstRow(database.$queryRaw<JobClaim[]>`
        SELECT job, verdict, destination
        FROM take_job(${job}::uuid, ${isFollowed}, ${executor}, ${host},
          make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds}))`),

    /**
     * Begins one job of a destination: of those that are due and fit, the one that was accepted
     * first.
     */
    next: (destination: string): Promise<JobClaim> =>
      firstRow(database.$queryRaw<JobClaim[]>`
        SELECT job, verdict, destination
        FROM begin_next(${destination}, ${executor}, ${host},
          make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds}))`),

    /** Goes on with this job, which had begun, when its executor is gone. */
    goOn: (job: JobId): Promise<JobClaim> =>
      firstRow(database.$queryRaw<JobClaim[]>`
        SELECT CASE WHEN v IN ('resume', 'lost', 'elsewhere') THEN ${job}::uuid END AS job,
          CASE WHEN v IN ('resume', 'lost', 'elsewhere') THEN v ELSE 'none'
          END AS verdict, NULL AS destination
        FROM begin_job(${job}::uuid, ${executor}, ${host}, make_interval(secs => ${leaseSeconds}),
          ${shared}::jsonb, make_interval(secs => ${graceSeconds})) v`),

    /** @returns false while nobody has taken the job */
    hasBegun: async (job: JobId): Promise<boolean> => {
      const [row] = await database.$queryRaw<
        { begun: boolean }[]
      >`SELECT state NOT IN ('ACCEPTED', 'WAITING') AS begun FROM offer WHERE id = ${job}::uuid`;
      return row?.begun ?? true;
    },

    /** Jobs that nobody follows, and that only executors of these homes can go on with. */
    orphans: async (): Promise<readonly JobId[]> => {
      const rows = await database.$queryRaw<
        { id: JobId }[]
      >`SELECT id FROM orphans(${[...homeNamesOf(home)]}::text[], ${MOST_ORPHANS}) AS id`;
      return rows.map(({ id }) => id);
    },

    /**
     * Gives the jobs back at a graceful end, so that the next executor does not wait for the leases
     * to lapse.
     */
    handBack: async (): Promise<void> => {
      await database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp() WHERE executor = ${executor}
        AND ended_at IS NULL`;
    },

    /** Executors of this host that hold jobs, or were alive lately. */
    neighbours: async (): Promise<readonly string[]> => {
      const rows = await database.$queryRaw<{ executor: string }[]>`
        SELECT executor FROM job WHERE starts_with(executor, ${`${host}:`}) AND ended_at IS NULL
        AND executor <> ${executor}
        UNION SELECT name FROM executor WHERE host = ${host} AND name <> ${executor}`;
      return rows.map((row) => row.executor);
    },

    /** Ends the leases of executors of this host that are known to be dead. */
    bury: async (dead: readonly string[]): Promise<void> => {
      await database.$executeRaw`
        UPDATE executor SET lease_until = clock_timestamp()
        WHERE name = ANY (${[...dead]}::text[])`;
      await database.$executeRaw`
        UPDATE job SET lease_until = clock_timestamp(), nudged_at = NULL
        WHERE executor = ANY (${[...dead]}::text[]) AND ended_at IS NULL`;
    },
  };
}
