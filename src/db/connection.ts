import type { ClientConfig } from 'pg';

/** Names under which the processes of the service are connected; PostgreSQL shows who is there. */
export type ConnectionName = 'planner' | 'executor' | 'sweeper';

/** What PostgreSQL calls such a connection. */
export function applicationName(name: ConnectionName): string {
  return `execution-planner ${name}`;
}

/**
 * For a connection, new or of the pool. Who waits for one of the pool waits for somebody's
 * statement, which may take as long; on a starved machine a new one took more than 5 s, and a
 * request that was not begun had a 503.
 */
const CONNECT_LIMIT_MS = 10_000;
/**
 * A sweep may have a backlog; everything else is a few milliseconds, or waits for somebody's lock.
 */
const STATEMENT_LIMIT_MS: Readonly<Record<ConnectionName, number>> = {
  planner: 10_000,
  executor: 10_000,
  sweeper: 15_000,
};
/**
 * Given to the server's word that a statement took too long, before
 * the connection is taken for dead.
 */
const WAY_MS = 2000;
const IDLE_IN_TRANSACTION_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * How a process of the service is connected. A connection whose other end is gone without a
 * word (a half-open one) answers nothing and breaks never: every wait for it has an end, and
 * the server gives up a transaction whose client is gone, so that its locks do not outlive it
 * for the hours that TCP allows.
 */
export function connectionOf(url: string, name: ConnectionName): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName(name),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    statement_timeout: STATEMENT_LIMIT_MS[name],
    query_timeout: STATEMENT_LIMIT_MS[name] + WAY_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/**
 * True when nothing came back on a connection within `query_timeout`; `pg` gives its error no code.
 */
export function isTimedOut(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
