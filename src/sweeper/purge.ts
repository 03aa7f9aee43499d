import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../db/client.ts';

/**
 * Records that are removed in order of age, each kind by its function `purge_…` in
 * prisma/functions.sql.
 */
const ORDERED = ['refusals', 'offers', 'traces'] as const;
const UNORDERED = ['keys', 'names', 'storage', 'findings', 'sign_ins'] as const;
const PURGED_KINDS = [...ORDERED, ...UNORDERED] as const;
type PurgedKind = (typeof PURGED_KINDS)[number];

/** How many records were removed. */
export type Purged = Readonly<Record<PurgedKind, number>>;

type Purge = {
  /** Removes old records until none are left, the time is over, or `stop` was called. */
  readonly run: () => Promise<Purged>;
  /** Stops after the current batch. */
  readonly stop: () => Promise<void>;
};

/**
 * A batch takes 20 to 40 ms, and 0.1 s with five busy processes for each processor
 * (docs/measurements/2026-11-23.md).
 */
const BATCH = 500;
/**
 * It rests twice as long as it works, so it uses at most a third of one connection's time, which is
 * at least 1,700 asks/s.
 */
const REST = 2;
const LEAST_REST_MS = 5;
/** A backlog takes several runs, each of which is logged. */
const LONGEST_MS = 9000;
/** How often to look again at records that were kept because their job still existed. */
const WHOLE_PASS_MS = 6 * 3_600_000;

/** A place in the order, in the database's text form, since its times are finer than a `Date`. */
type Place = { readonly after: string; readonly last: string };
const BEGINNING: Place = { after: '-infinity', last: '00000000-0000-0000-0000-000000000000' };

/**
 * Writes how long records are kept, seconds, for all sweepers; the last planner that starts
 * decides.
 */
export async function writeRecordTerms(
  database: Database,
  { refusals, offers, jobs }: Readonly<Record<'refusals' | 'offers' | 'jobs', number>>,
): Promise<void> {
  await database.$executeRaw`
    UPDATE record_terms SET refusals_s = ${refusals}::int, offers_s = ${offers}::int,
      jobs_s = ${jobs}::int`;
}

type Batch = { readonly gone: number; /** there was less than a batch */ readonly isLast: boolean };
type OrderedRow = {
  readonly looked: number;
  readonly gone: number;
  readonly after: string | null;
  readonly last: string | null;
};

/**
 * Removes old records in small transactions with rests between them, so that nobody waits for it.
 * Each continues where the last one ended: removed rows stay in an index until it is vacuumed, and
 * kept rows would be read each time. Any number of sweepers may run it; one of them works at a
 * time.
 *
 * @param clock monotonic, milliseconds
 */
export function createPurge(database: Database, clock: () => number): Purge {
  let places = new Map<PurgedKind, Place>();
  let passBegan = -Infinity;
  let isStopped = false;
  let under: Promise<unknown> | undefined;

  const ordered = async (kind: PurgedKind): Promise<Batch> => {
    const { after, last } = places.get(kind) ?? BEGINNING;
    const [row] = await database.$queryRawUnsafe<OrderedRow[]>(
      `SELECT looked, gone, after, last FROM purge_${kind}($1::timestamptz, $2, $3::int)`,
      after,
      last,
      BATCH,
    );
    if (row === undefined) throw new Error(`purge_${kind} returned nothing`);
    if (row.after !== null && row.last !== null)
      places.set(kind, { after: row.after, last: row.last });
    return { gone: row.gone, isLast: row.looked < BATCH };
  };
  const unordered = async (kind: PurgedKind): Promise<Batch> => {
    const [row] = await database.$queryRawUnsafe<{ gone: number }[]>(
      `SELECT purge_${kind}($1::int) AS gone`,
      BATCH,
    );
    const gone = row?.gone ?? 0;
    return { gone, isLast: gone < BATCH };
  };

  const purge = async (): Promise<Purged> => {
    const begun = clock();
    if (begun - passBegan >= WHOLE_PASS_MS) {
      places = new Map();
      passBegan = begun;
    }
    const gone: Record<PurgedKind, number> = {
      refusals: 0,
      offers: 0,
      traces: 0,
      keys: 0,
      names: 0,
      storage: 0,
      findings: 0,
      sign_ins: 0,
    };
    // The kinds take turns, so that a backlog of one does not delay the others.
    const left = new Set<PurgedKind>(PURGED_KINDS);
    while (left.size > 0) {
      for (const kind of left) {
        if (isStopped || clock() - begun >= LONGEST_MS) return gone;
        const from = clock();
        const batch = await (isOrdered(kind) ? ordered(kind) : unordered(kind));
        gone[kind] += batch.gone;
        if (batch.isLast) left.delete(kind);
        else await delay(Math.max(LEAST_REST_MS, REST * (clock() - from)));
      }
    }
    return gone;
  };

  return {
    run: () => {
      const run = purge();
      under = run.catch(() => undefined);
      return run;
    },
    stop: async () => {
      isStopped = true;
      await under;
    },
  };
}

function isOrdered(kind: PurgedKind): boolean {
  return ORDERED.some((one) => one === kind);
}
