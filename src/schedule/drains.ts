import type { Database } from '../db/client.ts';
import { DRAINS_CHANGED } from '../db/listen.ts';
import type { Instant } from './interval.ts';

/** A destination that an administrator drains: it gets no new offers in that time. */
export type Drain = {
  readonly destination: string;
  /** for clients whose ask is refused because of it */
  readonly reason: string;
  readonly from: Instant;
  /** undefined: until somebody ends it */
  readonly until: Instant | undefined;
  /** who drains it, and since when */
  readonly owner: string;
  readonly at: Instant;
};

type Row = {
  readonly destination: string;
  readonly reason: string;
  readonly from: Date;
  readonly until: Date | null;
  readonly owner: string;
  readonly at: Date;
};

/** All drains that are not over. */
export async function readDrains(database: Database): Promise<readonly Drain[]> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT destination_id AS destination, reason, starts_at AS "from", ends_at AS until, owner, at
    FROM drain WHERE ends_at IS NULL OR ends_at > clock_timestamp() ORDER BY destination_id`;
  return rows.map(drainOf);
}

/**
 * Drains a destination; an earlier drain of it is replaced.
 *
 * @param wanted without `from`: from now on
 * @returns undefined if its end is not after its beginning
 */
export async function writeDrain(
  database: Database,
  {
    destination,
    reason,
    from,
    until,
    owner,
  }: Omit<Drain, 'from' | 'at'> & { readonly from: Instant | undefined },
): Promise<Drain | undefined> {
  const [start, end] = [from, until].map((at) => (at === undefined ? null : new Date(at)));
  const [row] = await database.$queryRaw<Row[]>`
    WITH wanted AS (
      SELECT coalesce(${start}::timestamptz,
          date_trunc('milliseconds', clock_timestamp())) AS starts_at,
        ${end}::timestamptz AS ends_at
    ), written AS (
      INSERT INTO drain (destination_id, reason, starts_at, ends_at, owner)
      SELECT ${destination}, ${reason}, starts_at, ends_at, ${owner} FROM wanted
      WHERE ends_at IS NULL OR ends_at > greatest(starts_at, clock_timestamp())
      ON CONFLICT (destination_id) DO UPDATE SET reason = excluded.reason,
        starts_at = excluded.starts_at, ends_at = excluded.ends_at, owner = excluded.owner,
        at = clock_timestamp()
      RETURNING *)
    SELECT destination_id AS destination, reason, starts_at AS "from", ends_at AS until, owner, at,
      pg_notify('session', ${DRAINS_CHANGED})::text
    FROM written`;
  return row && drainOf(row);
}

/** Ends the drain of a destination, if there is one. */
export async function removeDrain(database: Database, destination: string): Promise<void> {
  await database.$executeRaw`
    WITH removed AS (DELETE FROM drain WHERE destination_id = ${destination} RETURNING 1)
    SELECT pg_notify('session', ${DRAINS_CHANGED})::text FROM removed`;
}

function drainOf({ destination, reason, from, until, owner, at }: Row): Drain {
  return {
    destination,
    reason,
    from: from.getTime(),
    until: until?.getTime(),
    owner,
    at: at.getTime(),
  };
}
