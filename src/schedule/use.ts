import type { Database } from '../db/client.ts';
import type { Capacity } from './amount.ts';

/** What is reserved of something now, in the units of `Capacity`. */
export type Use = { readonly held: Capacity; readonly firm: Capacity };

/** What one owner has of one destination. */
export type Holding = Use & {
  readonly owner: string;
  /** last known name of an issuer's user */
  readonly name: string | null;
  readonly destination: string;
  /** open answers, and jobs that have not ended, also those whose time has not come */
  readonly answers: number;
  readonly jobs: number;
  /** the end of the last reservation, milliseconds since 1970 */
  readonly until: number;
};

/** The jobs of a destination that have not ended. */
export type Queue = {
  /** wait for their client to start them */
  readonly pending: number;
  /** wait for their time or their turn */
  readonly waiting: number;
  /** of those that wait: their time has come */
  readonly due: number;
  readonly running: number;
  /** of those that are due: seconds since the earliest start */
  readonly longest: number;
};

const EMPTY: Capacity = { cores: 0, memory: 0, scratch: 0, gpus: new Map() };
/** Nothing reserved. */
export const UNUSED: Use = { held: EMPTY, firm: EMPTY };
/** Rows of one reading of holdings; a page shows fewer. */
const MOST_ROWS = 5000;

type Row = {
  readonly destination: string;
  readonly firm: boolean;
  readonly gpuType: string | null;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
  readonly gpus: number;
};

/** What is reserved of each destination now; those without reservations are missing. */
export async function readUse(database: Database): Promise<ReadonlyMap<string, Use>> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT destination_id AS destination, state = 'FIRM' AS firm, gpu_type AS "gpuType",
      sum(cores)::float8 AS cores, sum(memory_mib)::float8 AS memory,
      sum(scratch_mib)::float8 AS scratch, sum(gpus)::float8 AS gpus
    FROM reservation
    WHERE state IN ('HELD', 'FIRM') AND starts_at <= clock_timestamp() AND ends_at > clock_timestamp()
      AND (state = 'FIRM' OR expires_at > clock_timestamp())
    GROUP BY 1, 2, 3`;
  return new Map(
    [...Map.groupBy(rows, ({ destination }) => destination)].map(([id, own]) => [id, useOf(own)]),
  );
}

/** Who has what, those with most cores first. */
export async function readHoldings(database: Database): Promise<readonly Holding[]> {
  const rows = await database.$queryRaw<
    (Row & Pick<Holding, 'owner' | 'name' | 'answers' | 'jobs' | 'until'>)[]
  >`
    WITH live AS (
      SELECT r.*, a.owner, r.starts_at <= clock_timestamp() AND r.ends_at > clock_timestamp() AS now
      FROM reservation r JOIN ask a ON a.id = r.ask_id
      WHERE r.state = 'FIRM' OR (r.state = 'HELD' AND r.expires_at > clock_timestamp()))
    SELECT l.owner, i.name, l.destination_id AS destination, l.state = 'FIRM' AS firm,
      l.gpu_type AS "gpuType",
      coalesce(sum(l.cores) FILTER (WHERE l.now), 0)::float8 AS cores,
      coalesce(sum(l.memory_mib) FILTER (WHERE l.now), 0)::float8 AS memory,
      coalesce(sum(l.scratch_mib) FILTER (WHERE l.now), 0)::float8 AS scratch,
      coalesce(sum(l.gpus) FILTER (WHERE l.now), 0)::float8 AS gpus,
      count(DISTINCT l.ask_id) FILTER (WHERE l.state = 'HELD')::int AS answers,
      count(*) FILTER (WHERE l.state = 'FIRM')::int AS jobs,
      max(extract(epoch FROM l.ends_at))::float8 * 1000 AS until
    FROM live l LEFT JOIN identity i ON i.owner = l.owner
    GROUP BY 1, 2, 3, 4, 5 ORDER BY sum(l.cores) DESC LIMIT ${MOST_ROWS}`;
  const groups = Map.groupBy(rows, ({ owner, destination }) => `${destination} ${owner}`);
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const most = (of: (row: (typeof own)[number]) => number) => Math.max(...own.map(of));
    return {
      owner: first.owner,
      name: first.name,
      destination: first.destination,
      ...useOf(own),
      answers: most(({ answers }) => answers),
      jobs: own.reduce((sum, { jobs }) => sum + jobs, 0),
      until: Math.round(most(({ until }) => until)),
    };
  });
}

/** The queues of destinations; those without jobs are missing. */
export async function readQueues(database: Database): Promise<ReadonlyMap<string, Queue>> {
  // A job that has not ended has a firm reservation, which an index finds.
  const rows = await database.$queryRaw<(Queue & { readonly destination: string })[]>`
    SELECT o.destination_id AS destination,
      count(*) FILTER (WHERE o.state = 'ACCEPTED' AND j.start_mode = 'CLIENT')::int AS pending,
      count(*) FILTER (WHERE is_waiting(o.state, j.start_mode))::int AS waiting,
      count(*) FILTER (WHERE is_waiting(o.state, j.start_mode)
        AND o.starts_at <= clock_timestamp())::int AS due,
      count(*) FILTER (WHERE o.state NOT IN ('ACCEPTED', 'WAITING'))::int AS running,
      coalesce(max(extract(epoch FROM clock_timestamp() - o.starts_at))
        FILTER (WHERE is_waiting(o.state, j.start_mode) AND o.starts_at <= clock_timestamp()),
        0)::float8 AS longest
    FROM reservation r JOIN offer o ON o.id = r.offer_id JOIN job j ON j.id = o.id
    WHERE r.state = 'FIRM' GROUP BY 1`;
  return new Map(rows.map(({ destination, ...queue }) => [destination, queue]));
}

/** What is left of a capacity. */
export function freeOf(capacity: Capacity, { held, firm }: Use): Capacity {
  const left = (of: (amount: Capacity) => number) =>
    Math.max(0, of(capacity) - of(held) - of(firm));
  return {
    cores: left(({ cores }) => cores),
    memory: left(({ memory }) => memory),
    scratch: left(({ scratch }) => scratch),
    gpus: new Map(
      [...capacity.gpus.keys()].map((type) => [type, left(({ gpus }) => gpus.get(type) ?? 0)]),
    ),
  };
}

function useOf(rows: readonly Row[]): Use {
  return {
    held: sumOf(rows.filter(({ firm }) => !firm)),
    firm: sumOf(rows.filter(({ firm }) => firm)),
  };
}

function sumOf(rows: readonly Row[]): Capacity {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  return {
    cores: sum(({ cores }) => cores),
    memory: sum(({ memory }) => memory),
    scratch: sum(({ scratch }) => scratch),
    gpus: new Map(
      rows.flatMap(({ gpuType, gpus }) =>
        gpuType === null || gpus === 0 ? [] : [[gpuType, gpus]],
      ),
    ),
  };
}
