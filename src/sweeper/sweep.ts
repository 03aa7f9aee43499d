import type { Database } from '../db/client.ts';

/** The numbers of records that one sweep changed. */
type Swept = {
  /** asks whose offers expired */
  readonly lapsed: number;
  readonly givenUp: number;
  readonly archived: number;
  readonly nudged: number;
  /** expired objects that were sent to be removed */
  readonly released: number;
  /** late claims that were placed anew */
  readonly moved: number;
  /** messages of the queue that dead executors had locked */
  readonly unlocked: number;
};

const BATCH = 1000;
const LAPSE_BATCH = 500;

/**
 * One tick of the sweeper. Every part is one statement that skips rows which another sweeper has
 * locked, so any number of replicas may tick at once. Correctness does not depend on it: an accept
 * compares `expires` itself.
 */
export async function sweep(database: Database): Promise<Swept> {
  const [row] = await database.$queryRaw<Omit<Swept, 'lapsed' | 'moved'>[]>`
    SELECT give_up_late_jobs(${BATCH}) + give_up_lost_jobs(${BATCH}) AS "givenUp",
      archive_due_jobs(${BATCH}) AS archived, nudge_jobs(${BATCH}) AS nudged, release_due_storage(${BATCH}) AS released,
      sweep_executors() AS unlocked`;
  const rest = row ?? { givenUp: 0, archived: 0, nudged: 0, released: 0, unlocked: 0 };
  // Each batch is its own transaction, so its locks do not wait for the whole backlog.
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
 * Looks for an oversold destination, store or pool of results, which must never exist:
 * `guard_oversell` and the like in prisma/functions.sql.
 *
 * @returns how many new ones it found
 */
export async function guard(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<
    { trips: number }[]
  >`SELECT guard_oversell() + guard_storage() + guard_results() AS trips`;
  return row?.trips ?? 0;
}

/** Unlocks messages whose executor is gone. @returns how many */
export async function unlockStrays(database: Database): Promise<number> {
  const [row] = await database.$queryRaw<
    { unlocked: number }[]
  >`SELECT unlock_stray_messages() AS unlocked`;
  return row?.unlocked ?? 0;
}
