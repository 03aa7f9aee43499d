import { queryFast, type Database } from '../../db/client.ts';
import type { Applying } from '../../quotas/scopes.ts';

/** A quota of stored bytes that is used up. */
type StoredExcess = { readonly scope: string; readonly used: number; readonly limit: number };

/** Counts the bytes that are kept for each identity. */
export type StoredBytes = {
  /**
   * The first quota that is used up.
   * @param bytes an estimate of what will be kept next
   */
  readonly excess: (
    applying: readonly Applying[],
    bytes: number,
  ) => Promise<StoredExcess | undefined>;
  /** What a quota counts now; of a quota without a limit of bytes, too. */
  readonly used: (applying: Applying) => Promise<number>;
};

/** How long a reading counts; less when a quota is nearly used up. */
const FRESH_MS = 10_000;
const NEARLY_FULL_MS = 1000;
const NEARLY = 0.9;
/** Beyond this number of scopes, which no site has at a time, the oldest reading is forgotten. */
const MOST_SCOPES = 100_000;

/** What the database said, and an estimate of what came since. */
type Reading = { readonly at: number; readonly used: number; since: number };

/**
 * The database counts in the transactions that write and purge records, so the count survives
 * restarts and includes other planners. This reads the count now and then and adds what came since:
 * a quota may be exceeded by requests in progress and by one second of other planners.
 *
 * @param clock monotonic, milliseconds
 */
export function openStoredBytes(database: Database, clock: () => number): StoredBytes {
  const readings = new Map<string, Promise<Reading>>();

  const read = async (owners: readonly string[] | undefined): Promise<Reading> => {
    const at = clock();
    const [row] =
      owners === undefined
        ? await queryFast(
            database,
            'stored_in_all',
            'SELECT coalesce(sum(bytes), 0)::float8 AS used FROM stored',
            [],
          )
        : await queryFast(
            database,
            'stored',
            'SELECT coalesce(sum(bytes), 0)::float8 AS used FROM stored WHERE owner = ANY ($1::text[])',
            [owners],
          );
    return { at, used: Number(Object(row).used), since: 0 };
  };

  const readAgain = (applying: Applying): Promise<Reading> => {
    const { scope } = applying;
    const reading = read(ownersOf(applying));
    readings.delete(scope);
    readings.set(scope, reading);
    reading.catch(() => readings.delete(scope));
    const [oldest] = readings.keys();
    if (readings.size > MOST_SCOPES && oldest !== undefined) readings.delete(oldest);
    return reading;
  };

  const current = async (applying: Applying, limit: number): Promise<Reading> => {
    const { scope } = applying;
    const asked = readings.get(scope);
    if (asked === undefined) return readAgain(applying);
    const known = await asked;
    const isOld =
      clock() - known.at > (known.used + known.since > limit * NEARLY ? NEARLY_FULL_MS : FRESH_MS);
    // Another request may have begun to read meanwhile.
    return isOld && readings.get(scope) === asked
      ? readAgain(applying)
      : (readings.get(scope) ?? known);
  };

  return {
    excess: async (applying, bytes) => {
      for (const one of applying) {
        const { storedBytes: limit } = one.quota.limits;
        if (limit === undefined) continue;
        const reading = await current(one, limit);
        const used = reading.used + reading.since;
        if (used >= limit) return { scope: one.scope, used, limit };
        reading.since += bytes;
      }
      return undefined;
    },
    used: async (applying) => {
      const limit = applying.quota.limits.storedBytes ?? Infinity;
      const { used, since } = await current(applying, limit);
      return used + since;
    },
  };
}

/** The owners whose asks a quota counts; undefined: all. */
function ownersOf({ scope, quota, owner = scope }: Applying): readonly string[] | undefined {
  return quota.for === 'site' ? undefined : (quota.identities ?? [owner]);
}
