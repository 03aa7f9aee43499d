import type { Database } from '../db/client.ts';

/** What one sweep did; every number counts records. */
export type Swept = {
  /** asks whose offers ran out */
  readonly lapsed: number;
  readonly givenUp: number;
  readonly archived: number;
  readonly nudged: number;
  /** objects whose lifetime is over, sent to be removed */
  readonly released: number;
  /** claims of jobs that wait beyond their time, which were placed anew */
  readonly moved: number;
  /** messages of the queue that executors which are gone had locked */
  readonly unlocked: number;
};

const BATCH = 1000;
const LAPSE_BATCH = 500;

/**
 * One tick of the sweeper. Every part is one statement that skips what another sweeper holds,
 * so any number of replicas may tick at once. Nothing depends on it for being right: an
 * accept compares `expires` itself.
 */
export async function sweep(database: Database): Promise<Swept> {
  const [row] = await database.$queryRaw<Omit<Swept, 'lapsed' | 'moved'>[]>`
    SELECT give_up_late_jobs(${BATCH}) + give_up_lost_jobs(${BATCH}) AS "givenUp",
      archive_due_jobs(${BATCH}) AS archived, nudge_jobs(${BATCH}) AS nudged, release_due_storage(${BATCH}) AS released,
      sweep_executors() AS unlocked`;
  const rest = row ?? { givenUp: 0, archived: 0, nudged: 0, released: 0, unlocked: 0 };
  // Each batch is a transaction of its own: none of its locks waits for the whole backlog.
  let [lapsed, batch] = [0, LAPSE_BATCH];
  while (batch === LAPSE_BATCH) {
    const [last] = await database.$queryRaw<
      { lapsed: number }[]
    >`SELECT lapse_due(NULL, ${LAPSE_BATCH}) AS lapsed`;
    batch = last?.lapsed ?? 0;
    lapsed += batch;
  }
  const [claims] = await database.$queryRaw<{ moved: number }[]>`SELECT keep_all_claims() AS moved`;
  return { lapsed, moved: claims?.moved ?? 0, ...rest };
}

/**
 * Looks for a destination, a store or a pool of results that is oversold, which must never be:
 * `guard_oversell` and its like in prisma/functions.sql.
 *
 * @returns how many were found that were not known
 */
export async function guard(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<
    { trips: number }[]
  >`SELECT guard_oversell() + guard_storage() + guard_results() AS trips`;
  return row?.trips ?? 0;
}

/** Unlocks messages that nobody has any more who could say so. @returns how many */
export async function unlockStrays(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<
    { unlocked: number }[]
  >`SELECT unlock_stray_messages() AS unlocked`;
  return row?.unlocked ?? 0;
}
