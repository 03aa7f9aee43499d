import { queryFast, type Database } from '../../db/client.ts';
import type { Applying } from '../../quotas/scopes.ts';

/** How much is kept of somebody's asks, beyond what a quota allows. */
export type StoredExcess = {
  readonly scope: string;
  readonly used: number;
  readonly limit: number;
};

/** How much of the asks of each identity is kept. */
export type StoredBytes = {
  /**
   * The first quota that is used up: nothing more is kept for it.
   *
   * @param bytes about as much is to be kept next
   */
  readonly excess: (
    applying: readonly Applying[],
    bytes: number,
  ) => Promise<StoredExcess | undefined>;
};

/** A reading holds so long, and where a quota is nearly used up so long. */
const FRESH_MS = 10_000;
const NEARLY_FULL_MS = 1000;
const NEARLY = 0.9;
/** More scopes than this ask of no site at a time; the one that was read first is read again. */
const MOST_SCOPES = 100_000;

/** What the database said, and about what came since. */
type Reading = { readonly at: number; readonly used: number; since: number };

/**
 * The database counts in the transaction that writes an answer or takes one away, so that
 * neither a restart nor another planner begins anew. This reads the count now and then, and
 * adds what came since to it: a quota may be passed by what is under way, and by what other
 * planners write within a second.
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
    // Somebody else may have begun to read meanwhile.
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
  };
}

/** Whose asks a quota counts; undefined: everybody's. */
function ownersOf({ scope, quota }: Applying): readonly string[] | undefined {
  return quota.for === 'site' ? undefined : (quota.identities ?? [scope]);
}
