import type { ClientConfig } from 'pg';

/** Names of the service's processes in PostgreSQL's list of connections. */
export type ConnectionName = 'planner' | 'executor' | 'sweeper';

/** The application name of such a connection in PostgreSQL. */
export function applicationName(name: ConnectionName): string {
  return `execution-planner ${name}`;
}

/**
 * Limit for a connection, new or from the pool. A pooled one may have to wait for another
 * statement; on a starved machine a new one took more than 5 s, which made a request fail with 503.
 */
const CONNECT_LIMIT_MS = 10_000;
/** A sweep may have a backlog; other statements take a few milliseconds, or wait for a lock. */
const STATEMENT_LIMIT_MS: Readonly<Record<ConnectionName, number>> = {
  planner: 10_000,
  executor: 10_000,
  sweeper: 15_000,
};
/** Extra time for the server's own report of a timeout, before the connection counts as dead. */
const WAY_MS = 2000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
/**
 * A connection keeps its plans, those of foreign keys too. Made while the tables are nearly empty,
 * they read tables whole until autovacuum looks again: after 6,000 asks in an emptied book, 1.99 ms
 * of PostgreSQL's time for an ask instead of 0.33. Planners look rows up by their keys. Merge joins
 * would read a whole index instead: a list of jobs by name took 28 ms instead of 12. What counts all
 * jobs pays for that, 2.0 s for a million instead of 1.3. The sweeper reads many rows at once.
 *
 * Before version 18, a forbidden plan that cannot be avoided costs 10^10, so PostgreSQL compiles it:
 * 0.4 s for a table of 50 rows without an index. So nothing is compiled.
 */
const BY_INDEX = '-c enable_seqscan=off -c enable_mergejoin=off -c jit=off';

/**
 * The connection settings of a process. A half-open connection answers nothing and never breaks, so
 * every wait has a limit; and the server ends a transaction whose client is gone, so that its locks
 * do not stay for the hours that TCP allows.
 */
export function connectionOf(url: string, name: ConnectionName): ClientConfig {
  return {
    connectionString: name === 'planner' ? byIndex(url) : url,
    application_name: applicationName(name),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS[name],
    query_timeout: STATEMENT_LIMIT_MS[name] + WAY_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/** Did `query_timeout` pass without an answer? `pg` gives this error no code. */
export function isTimedOut(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** The options of a URL would replace those beside it. Its own come last and have the last word. */
function byIndex(url: string): string {
  const wanted = new URL(url);
  const own = wanted.searchParams.get('options');
  wanted.searchParams.set('options', own === null ? BY_INDEX : `${BY_INDEX} ${own}`);
  return wanted.href;
}
