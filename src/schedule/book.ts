import { queryFast, type Database } from '../db/client.ts';
import { mebibytes, millicores } from '../words/units.ts';
import type { Amount, Capacity } from './amount.ts';
import type { Closed } from './closures.ts';
import type { Instant } from './interval.ts';
import type { Taken } from './profile.ts';

/** The reservations of some destinations from now on, and the database's time of the reading. */
type BookReading = { readonly now: Instant; readonly taken: ReadonlyMap<string, readonly Taken[]> };

type Row = Closed & { readonly gpuType: string | null; readonly gpus: number };
type BookRow = { readonly now: string; readonly reservations: readonly Row[] };

/**
 * Reads the reservations of some destinations in one round trip: `read_book` in
 * prisma/functions.sql.
 */
export async function readBook(
  database: Database,
  destinations: readonly string[],
  forSeconds: number,
): Promise<BookReading> {
  const [found] = await queryFast(
    database,
    'read_book',
    'SELECT read_book($1::text[], make_interval(secs => $2::float8)) AS book',
    [destinations, forSeconds],
  );
  const { book }: { readonly book?: BookRow } = Object(found);
  if (book === undefined) throw new Error('read_book returned nothing');
  const taken = new Map<string, Taken[]>();
  for (const row of book.reservations) {
    const during = { start: Date.parse(row.startsAt), end: Date.parse(row.endsAt) };
    const list = taken.get(row.destination) ?? [];
    list.push({ during, amount: amountOf(row) });
    taken.set(row.destination, list);
  }
  return { now: Date.parse(book.now), taken };
}

/**
 * An upper bound of the sum of all reservations of a destination, at any time; in the units of
 * `Amount`.
 */
export type Live = {
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  /** use of its pool of results; null: no pool */
  readonly results: number | null;
};

/** The database's time, and the live reservations of destinations. */
export type OutlookReading = { readonly now: Instant; readonly live: ReadonlyMap<string, Live> };

export type OutlookRow = {
  readonly now: string;
  readonly live: readonly (Live & { readonly id: string })[];
};

export function outlookOf({ now, live }: OutlookRow): OutlookReading {
  return {
    now: Date.parse(now),
    live: new Map(
      live.map(({ id, cores, memory, scratch, results }) => [
        id,
        { cores, memory, scratch, results },
      ]),
    ),
  };
}

/** The outlook of every destination: `read_outlook` in prisma/functions.sql. */
export async function readOutlook(database: Database): Promise<OutlookReading> {
  const [found] = await database.$queryRaw<
    { outlook: OutlookRow }[]
  >`SELECT read_outlook(NULL) AS outlook`;
  if (found === undefined) throw new Error('read_outlook returned nothing');
  return outlookOf(found.outlook);
}

/**
 * What the book no longer has of destinations, for all time: while a site file is reloaded, a
 * planner may still count on more.
 *
 * @param counted what the planner counts on
 */
export async function readLacking(
  database: Database,
  counted: ReadonlyMap<string, Capacity>,
): Promise<ReadonlyMap<string, readonly Taken[]>> {
  const rows = await database.$queryRaw<
    { id: string; cores: number; memory: number; scratch: number; gpus: object }[]
  >`
    SELECT id, cores, memory_mib::float8 AS memory, scratch_mib::float8 AS scratch, gpus
    FROM destination WHERE open AND id = ANY (${[...counted.keys()]}::text[])`;
  const found = new Map(
    rows.map(({ gpus, ...row }) => [row.id, { ...row, gpus: new Map(Object.entries(gpus)) }]),
  );
  return new Map([...counted].map(([id, capacity]) => [id, lackOf(capacity, found.get(id))]));
}

/**
 * Makes the destination rows equal to the site file. A removed destination is closed: its jobs go
 * on, and it gets no new offers.
 */
export async function writeCapacities(
  database: Database,
  capacities: ReadonlyMap<string, Capacity>,
): Promise<void> {
  const rows = [...capacities].map(([id, { cores, memory, scratch, gpus }]) => ({
    id,
    cores,
    memory,
    scratch,
    gpus: Object.fromEntries(gpus),
  }));
  await database.$executeRaw`
    WITH named AS (
      INSERT INTO destination (id, cores, memory_mib, scratch_mib, gpus, open)
      SELECT d.id, d.cores, d.memory, d.scratch, d.gpus, true
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS d(id text, cores int,
        memory bigint, scratch bigint, gpus jsonb)
      ORDER BY d.id
      ON CONFLICT (id) DO UPDATE SET cores = excluded.cores, memory_mib = excluded.memory_mib,
        scratch_mib = excluded.scratch_mib, gpus = excluded.gpus, open = true,
        shrunk_at = CASE WHEN excluded.cores < destination.cores OR excluded.memory_mib < destination.memory_mib
          OR excluded.scratch_mib < destination.scratch_mib OR excluded.gpus <> destination.gpus
          THEN clock_timestamp() ELSE destination.shrunk_at END
      RETURNING id)
    UPDATE destination SET open = false WHERE open AND id <> ALL (${rows.map(({ id }) => id)}::text[])`;
}

function amountOf({ cores, memory, scratch, gpuType, gpus }: Row): Amount {
  return {
    cores: millicores(cores),
    memory: mebibytes(memory),
    scratch: mebibytes(scratch),
    gpus: gpuType === null ? undefined : { type: gpuType, count: gpus },
  };
}

function lackOf(counted: Capacity, has: Capacity | undefined): readonly Taken[] {
  const during = { start: 0, end: Infinity };
  const less = (of: (capacity: Capacity) => number): number =>
    Math.max(0, of(counted) - (has === undefined ? 0 : of(has)));
  const amount = {
    cores: millicores(less(({ cores }) => cores)),
    memory: mebibytes(less(({ memory }) => memory)),
    scratch: mebibytes(less(({ scratch }) => scratch)),
    gpus: undefined,
  };
  const gpus = [...counted.gpus.keys()].map((type) => ({
    ...NOTHING,
    gpus: { type, count: less((capacity) => capacity.gpus.get(type) ?? 0) },
  }));
  return [amount, ...gpus]
    .filter((one) => one.cores + one.memory + one.scratch + (one.gpus?.count ?? 0) > 0)
    .map((one) => ({ during, amount: one }));
}

const NOTHING = { cores: millicores(0), memory: mebibytes(0), scratch: mebibytes(0) };
