import type { Database } from '../db/client.ts';
import { mebibytes, millicores, type Mebibytes } from '../words/units.ts';
import type { ObjectId } from '../words/ids.ts';
import type { Instant } from './interval.ts';
import type { Taken } from './profile.ts';

/** `endsAt` null: no end. */
type Row = {
  readonly store: string;
  readonly startsAt: Date;
  readonly endsAt: Date | null;
  readonly size: bigint;
};

/**
 * The reservations of each store from now on, as scratch space of an amount: `read_stores` in
 * prisma/functions.sql. What the book no longer has of a store is reserved, too: while a site file
 * is reloaded, a planner may still count on more.
 *
 * @param size of the new volumes; if they fit beside all reservations, one sum for all time is
 * returned
 * @param counted the stores that the planner counts on
 */
export async function readStores(
  database: Database,
  size: Mebibytes,
  counted: readonly { readonly name: string; readonly size: Mebibytes }[],
): Promise<ReadonlyMap<string, readonly Taken[]>> {
  const sizes = JSON.stringify(Object.fromEntries(counted.map(({ name, size }) => [name, size])));
  const rows = await database.$queryRaw<Row[]>`
    SELECT store, starts_at AS "startsAt", nullif(ends_at, 'infinity') AS "endsAt", size_mib AS size
    FROM read_stores(${size})
    UNION ALL
    SELECT c.key, 'epoch', NULL, c.value::bigint - coalesce(s.size_mib, 0)
    FROM jsonb_each_text(${sizes}::jsonb) c LEFT JOIN store s ON s.name = c.key AND s.open
    WHERE c.value::bigint > coalesce(s.size_mib, 0)`;
  const taken = rows.map(({ store, startsAt, endsAt, size }) => ({
    store,
    during: { start: startsAt.getTime(), end: endsAt?.getTime() ?? Infinity },
    amount: {
      cores: millicores(0),
      memory: mebibytes(0),
      scratch: mebibytes(Number(size)),
      gpus: undefined,
    },
  }));
  return Map.groupBy(taken, ({ store }) => store);
}

/** A persistent volume of an earlier job. */
type StoredObject = {
  readonly object: ObjectId;
  readonly backend: string;
  readonly size: Mebibytes;
  readonly endsAt: Instant;
};

/** The objects among these that belong to this owner and still exist. */
export async function findObjects(
  database: Database,
  owner: string,
  objects: readonly ObjectId[],
): Promise<readonly StoredObject[]> {
  const rows = await database.$queryRaw<
    { object: ObjectId; backend: string; size: bigint; endsAt: Date }[]
  >`
    SELECT object_id AS object, store AS backend, size_mib AS size, ends_at AS "endsAt" FROM storage_reservation
    WHERE object_id = ANY (${[...objects]}::uuid[]) AND owner = ${owner} AND state = 'FIRM'
    AND ends_at > clock_timestamp()`;
  return rows.map(({ size, endsAt, ...row }) => ({
    ...row,
    size: mebibytes(Number(size)),
    endsAt: endsAt.getTime(),
  }));
}

/**
 * Makes the rows of the stores equal to the site file. A removed store is closed: its contents stay
 * until they expire.
 */
export async function writeStores(
  database: Database,
  sizes: ReadonlyMap<string, Mebibytes>,
): Promise<void> {
  const rows = [...sizes].map(([name, size]) => ({ name, size }));
  await database.$executeRaw`
    WITH named AS (
      INSERT INTO store (name, size_mib, open)
      SELECT s.name, s.size, true
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS s(name text, size bigint)
      ORDER BY s.name
      ON CONFLICT (name) DO UPDATE SET size_mib = excluded.size_mib, open = true,
        shrunk_at = CASE WHEN excluded.size_mib < store.size_mib THEN clock_timestamp() ELSE store.shrunk_at END
      RETURNING name)
    UPDATE store SET open = false WHERE open AND name <> ALL (${rows.map(({ name }) => name)}::text[])`;
}
