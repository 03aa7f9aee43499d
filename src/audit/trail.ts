import type { Logger } from 'pino';
import type { Database } from '../db/client.ts';

/** A request that changed something, or was refused. */
type AuditEntry = {
  readonly at: Date;
  readonly requestId: string;
  readonly owner: string;
  readonly administrator: boolean;
  readonly address: string;
  /** `POST /jobs/{id}/phase PHASE=ABORT`, `POST /offers/{id} status=CANCELLED` */
  readonly action: string;
  readonly status: number;
  /** as who did it says; null: not said */
  readonly why: string | null;
};

/**
 * The audit trail: every change goes into the log at once and into the database within a second.
 */
export type Trail = {
  /** @param isKept false: in the log only */
  readonly note: (entry: AuditEntry, isKept?: boolean) => void;
  /** logs why the request with this id has no entry */
  readonly missed: (requestId: string, why: unknown) => void;
  /**
   * Newest first. Those of one instant come together, so that a reader who goes on before the last
   * one misses none.
   *
   * @param before entries older than this
   * @param most entries, and the others of the last one's instant
   */
  readonly read: (before: Date, most: number) => Promise<readonly AuditEntry[]>;
  readonly close: () => Promise<void>;
};

/** One statement writes all changes of a second, so that no client waits for it. */
const WRITE_MS = 1000;
/** The most entries in memory while the database is not available; the log has all. */
const MOST_WAITING = 10_000;
const MOST_IN_STATEMENT = 1000;
const KEPT_DAYS = 90;
/** About 3 GB with their indexes. */
const MOST_KEPT = 10_000_000;
/** The most entries that are removed for age or number with each write. */
const MOST_REMOVED = 5000;

/** @param most entries in the database; the oldest are removed for new ones */
export function openTrail(database: Database, log: Logger, most: number = MOST_KEPT): Trail {
  let waiting: readonly AuditEntry[] = [];
  let lost = 0;

  const write = async (): Promise<void> => {
    const entries = waiting.slice(0, MOST_IN_STATEMENT);
    if (entries.length === 0) return;
    await database.$executeRaw`
      WITH old AS (
        DELETE FROM audit WHERE id IN (
          SELECT id FROM audit WHERE at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})
          ORDER BY at LIMIT ${MOST_REMOVED})
      ), many AS (
        DELETE FROM audit WHERE id IN (
          SELECT id FROM audit WHERE id <= (SELECT max(id) FROM audit) - ${most}::bigint ORDER BY id
          LIMIT ${MOST_REMOVED}))
      INSERT INTO audit (at, request_id, owner, administrator, address, action, status, why)
      SELECT e.at, e."requestId", e.owner, e.administrator, e.address, e.action, e.status,
        e.why
      FROM jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        AS e(at timestamptz, "requestId" uuid, owner text, administrator boolean, address text,
          action text, status smallint, why text)`;
    waiting = waiting.slice(entries.length);
  };
  let writing: Promise<void> = Promise.resolve();
  const flush = (): Promise<void> => {
    writing = writing
      .then(write)
      .catch((err: unknown) =>
        log.warn(
          { err, waiting: waiting.length, lost },
          'the audit trail cannot be written; the log has it',
        ),
      );
    return writing;
  };
  const timer = setInterval(() => void flush(), WRITE_MS).unref();

  return {
    note: (entry, isKept = true) => {
      log.info({ audit: entry }, 'changed');
      if (!isKept) return;
      if (waiting.length < MOST_WAITING) waiting = [...waiting, entry];
      else lost += 1;
    },
    missed: (requestId, err) => log.error({ err, requestId }, 'a change is not in the audit trail'),
    read: async (before, most) => {
      await flush();
      return database.$queryRaw<AuditEntry[]>`
        SELECT at, request_id AS "requestId", owner, administrator, address, action, status, why
        FROM (SELECT * FROM audit WHERE at < ${before} ORDER BY at DESC
          FETCH FIRST (${most}::bigint) ROWS WITH TIES) AS page
        ORDER BY at DESC, id DESC`;
    },
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
