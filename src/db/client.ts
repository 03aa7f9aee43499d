import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { applicationName, connectionOf, isTimedOut, type ConnectionName } from './connection.ts';
import { UNUSABLE } from './late-failing.ts';
import { openPool } from './pool.ts';

export type Database = PrismaClient;

/**
 * A Prisma client with its own pool. Decisions are one `$queryRaw` call of a function in
 * prisma/functions.sql: an interactive transaction of five round trips was 6 times slower under the
 * lock (docs/adr/0001-postgresql-functions-decide.md).
 */
export function openDatabase(
  url: string,
  connections: number,
  name: ConnectionName = 'planner',
): Database {
  const pool = openPool({ ...connectionOf(url, name), max: connections });
  const database = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) });
  pools.set(database, pool);
  return database;
}

const pools = new WeakMap<Database, Pool>();

/**
 * Runs a statement on the client's pool without Prisma, whose overhead exceeds a small statement;
 * for statements that run thousands of times a second. It is prepared once for each connection.
 *
 * @param name a unique name for each text
 * @returns the rows as `pg` reads them
 */
export async function queryFast(
  database: Database,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const pool = pools.get(database);
  if (pool === undefined) throw new Error('the database was not opened by openDatabase');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return (await pool.query({ name, text, values: [...values] })).rows;
    } catch (error) {
      const { code } = Object(error);
      // Each statement is a transaction of its own, so a deadlock leaves nothing behind.
      if (code === DEADLOCK && attempt < MOST_ATTEMPTS) continue;
      throw SYSTEM.test(code)
        ? new Unreachable('the database cannot be reached', { cause: error })
        : error;
    }
  }
}

const DEADLOCK = '40P01';
const MOST_ATTEMPTS = 3;

/** Error codes of the operating system; connections to other servers have the same. */
const SYSTEM = /^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/;
class Unreachable extends Error {}

/** Is a process of this kind connected, on any host? A killed process leaves the list at once. */
export async function isConnected(database: Database, name: ConnectionName): Promise<boolean> {
  const [row] = await database.$queryRaw<{ there: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = ${applicationName(name)}
      AND datname = current_database()) AS there`;
  return row?.there ?? false;
}

/** Does the database refuse changes? A standby does, and a server whose disc is full may. */
export async function refusesChanges(database: Database): Promise<boolean> {
  const [row] = await database.$queryRaw<{ refuses: boolean }[]>`
    SELECT current_setting('transaction_read_only')::boolean AS refuses`;
  return row?.refuses ?? false;
}

const AWAY = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'DatabaseDoesNotExist',
  'AuthenticationFailed',
]);
/**
 * SQLSTATE classes: connection exception, authorization, no such database (while it is restored),
 * transaction rollback (a deadlock), insufficient resources, operator intervention.
 */
const AWAY_CLASSES = new Set(['08', '28', '3D', '40', '53', '57']);
/** A server that takes no changes (a standby, a full disc), and transactions that it ended for their time. */
const AWAY_CODES = new Set(['25006', '25P03', '25P04']);

/** Messages without a code for a lost, silent or impossible connection; Prisma passes them on. */
const LOST = new RegExp(
  `^(Connection terminated|timeout exceeded when trying to connect|${UNUSABLE})`,
);
/** Prisma: no connection for a transaction in time, or the connection of one was lost. */
const NO_TRANSACTION = 'P2028';

/** Did a statement of Prisma fail because of a value that a column cannot have (class 22)? */
export function isUnstorable(error: unknown): boolean {
  const { code, originalCode } = causeOf(error);
  return String(originalCode ?? code).startsWith('22');
}

/** Did a statement fail because the database is not available, and not because of the statement? */
export function isDatabaseAway(error: unknown): boolean {
  const { message, code: ownCode } = Object(error);
  const { kind, code } = causeOf(error);
  const isAway = (state: unknown): boolean =>
    typeof state === 'string' && (AWAY_CODES.has(state) || AWAY_CLASSES.has(state.slice(0, 2)));
  return (
    error instanceof Unreachable ||
    (typeof kind === 'string' && AWAY.has(kind)) ||
    isAway(code) ||
    isAway(ownCode) ||
    ownCode === NO_TRANSACTION ||
    isTimedOut(error) ||
    (typeof message === 'string' && LOST.test(message))
  );
}

/** What the driver said, as Prisma passes it on. */
function causeOf(error: unknown): Readonly<Record<string, unknown>> {
  return Object(Object(Object(Object(error).meta).driverAdapterError).cause);
}
