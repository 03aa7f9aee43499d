import { until, type Ground } from '../cli/service-process.ts';
import { connectBook } from './victims.ts';

/**
 * Stops a transaction of a planner after its n-th write: every table, ours and the queue's, counts
 * the statements that write it, and the n-th waits for a lock. So the steps are the real ones and
 * not a list.
 */
export type Breakpoints = {
  /**
   * Tables that the last transaction with a decision wrote since the last call, in order. Planners
   * also write other things at other times.
   */
  readonly steps: () => Promise<readonly string[]>;
  /** From now on transactions of planners stop after this write. */
  readonly set: (step: number) => Promise<void>;
  /** Is a transaction stopped now? */
  readonly isReached: () => Promise<boolean>;
  /** Lets it continue and stops no others; works after the database was killed, too. */
  readonly clear: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const LOCK = 42_424_242;
const INSTALL = `
  CREATE SCHEMA breakpoints;
  CREATE TABLE breakpoints.stop (step int NOT NULL);
  INSERT INTO breakpoints.stop VALUES (0);
  CREATE TABLE breakpoints.seen (id bigserial, what text NOT NULL, tx xid8 NOT NULL DEFAULT pg_current_xact_id());
  CREATE FUNCTION breakpoints.step() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    n int := coalesce(nullif(current_setting('breakpoints.n', true), '')::int, 0) + 1;
  BEGIN
    IF current_setting('application_name') <> 'execution-planner planner' THEN RETURN NULL; END IF;
    PERFORM set_config('breakpoints.n', n::text, true);
    INSERT INTO breakpoints.seen (what) VALUES (TG_OP || ' ' || TG_TABLE_NAME);
    IF n = (SELECT step FROM breakpoints.stop) THEN PERFORM pg_advisory_xact_lock_shared(${LOCK}); END IF;
    RETURN NULL;
  END $$;
  DO $$
  DECLARE
    one regclass;
  BEGIN
    FOR one IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE c.relkind = 'r' AND n.nspname IN ('public', 'graphile_worker') LOOP
      EXECUTE format(
        'CREATE TRIGGER zz_step AFTER INSERT OR UPDATE OR DELETE ON %s '
        'FOR EACH STATEMENT EXECUTE FUNCTION breakpoints.step()',
        one);
    END LOOP;
  END $$`;

export async function openBreakpoints(ground: Ground): Promise<Breakpoints> {
  let client = await connectBook(ground);
  await client.query(INSTALL);
  /**
   * Runs a statement, again in a new connection if the old one was lost with its database. A
   * connection may outlive the first process of a killed database for one more statement.
   */
  const run = async (
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly unknown[]> => {
    const { rows } = await client.query(text, [...values]).catch(async () => {
      client = await until('the database is back', () =>
        connectBook(ground).catch(() => undefined),
      );
      return client.query(text, [...values]);
    });
    return rows;
  };
  return {
    steps: async () => {
      const rows = await run(`
        WITH gone AS (DELETE FROM breakpoints.seen RETURNING *)
        SELECT what FROM gone WHERE tx = (SELECT tx FROM gone WHERE what LIKE '% idempotency'
          ORDER BY id DESC LIMIT 1) ORDER BY id`);
      return rows.map((row) => String(Object(row).what));
    },
    set: async (step) => {
      await run('SELECT pg_advisory_lock($1)', [LOCK]);
      await run('UPDATE breakpoints.stop SET step = $1', [step]);
    },
    isReached: async () => {
      const rows = await run(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
      );
      return rows.length > 0;
    },
    clear: async () => {
      await run('UPDATE breakpoints.stop SET step = 0');
      await run('SELECT pg_advisory_unlock_all()');
    },
    close: () => client.end(),
  };
}
