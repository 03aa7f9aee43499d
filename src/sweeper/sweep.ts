import type { Database } from '../db/client.ts';

/** What one sweep did; every number counts records. */
export type Swept = {
  readonly lapsed: number;
  readonly givenUp: number;
  readonly archived: number;
  readonly nudged: number;
};

const BATCH = 1000;

/**
 * One tick of the sweeper. Every part is one statement that skips what another sweeper holds, so any number of replicas
 * may tick at once. Nothing depends on it for being right: an accept compares `expires` itself.
 */
export const sweep = async (database: Database): Promise<Swept> => {
  const [row] = await database.$queryRaw<Swept[]>`
    SELECT lapse_due(NULL, ${BATCH}) AS lapsed, give_up_late_jobs(${BATCH}) + give_up_lost_jobs(${BATCH}) AS "givenUp",
      archive_due_jobs(${BATCH}) AS archived, nudge_jobs(${BATCH}) AS nudged`;
  return row ?? { lapsed: 0, givenUp: 0, archived: 0, nudged: 0 };
};

/** Removes records that nothing depends on any more, some at a time. @returns how many asks went */
export const purge = async (database: Database, keepSeconds: number): Promise<number> => {
  const [row] = await database.$queryRaw<{ purged: number }[]>`SELECT purge_old(make_interval(secs => ${keepSeconds}), ${BATCH}) AS purged`;
  return row?.purged ?? 0;
};
