import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { applicationName, connectionOf, isTimedOut, type ConnectionName } from './connection.ts';

export type Database = PrismaClient;

/**
 * A Prisma client with its own pool. Decisions are one `$queryRaw` call of a function in prisma/migrations: an
 * interactive transaction of five trips was 6 times slower under the lock (docs/adr/0001-postgresql-functions-decide.md).
 */
export const openDatabase = (url: string, connections: number, name: ConnectionName = 'planner'): Database =>
  new PrismaClient({ adapter: new PrismaPg({ ...connectionOf(url, name), max: connections }) });

/** Is a process of this kind connected, on whatever host? A process that was killed is gone from the list at once. */
export const isConnected = async (database: Database, name: ConnectionName): Promise<boolean> => {
  const [row] = await database.$queryRaw<{ there: boolean }[]>`
    SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = ${applicationName(name)} AND datname = current_database()) AS there`;
  return row?.there ?? false;
};

const AWAY = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'DatabaseDoesNotExist', 'AuthenticationFailed']);
/** SQLSTATE classes: connection exception, insufficient resources, operator intervention. */
const AWAY_CLASSES = new Set(['08', '53', '57']);

/** What `pg` says, without any code, of a connection that was lost or that nobody answers on; Prisma passes it on as it is. */
const LOST = /^(Connection terminated|timeout exceeded when trying to connect)/;
/** Prisma: no connection for a transaction in time, or the connection of one was lost. */
const NO_TRANSACTION = 'P2028';

/** True when a statement failed because the database is not there, not because of the statement. */
export const isDatabaseAway = (error: unknown): boolean => {
  const { message, code: prismaCode, meta } = Object(error);
  const { kind, code } = Object(Object(Object(meta).driverAdapterError).cause);
  return AWAY.has(kind) || (typeof code === 'string' && AWAY_CLASSES.has(code.slice(0, 2))) || prismaCode === NO_TRANSACTION
    || isTimedOut(error) || (typeof message === 'string' && LOST.test(message));
};
