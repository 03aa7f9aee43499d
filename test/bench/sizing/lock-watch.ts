import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** Parts of the time in which connections were in a statement. */
type LockShares = {
  /** waits for a row, a table or an advisory lock */
  readonly locks: number;
  /** waits for a latch of PostgreSQL, except for the log of changes, which all write together */
  readonly latches: number;
};

const EVERY_MS = 20;
const LOOK = `
  SELECT count(*)::int AS active,
    count(*) FILTER (WHERE wait_event_type = 'Lock')::int AS locks,
    count(*) FILTER (WHERE wait_event_type = 'LWLock' AND wait_event !~ '^WAL')::int AS latches
  FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`;

/** Looks again and again what the statements of a database wait for. */
export function openLockWatch(client: Client) {
  const over = new AbortController();
  const sums = { active: 0, locks: 0, latches: 0 };
  const watching = (async () => {
    while (!over.signal.aborted) {
      const { rows } = await client.query(LOOK);
      for (const key of ['active', 'locks', 'latches'] as const)
        sums[key] += Number(rows[0]?.[key]);
      await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return {
    end: async (): Promise<LockShares> => {
      over.abort();
      await watching;
      const active = Math.max(1, sums.active);
      return { locks: sums.locks / active, latches: sums.latches / active };
    },
  };
}
