import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.ts';

export type Database = PrismaClient;

/**
 * A Prisma client with its own pool. Decisions are one `$queryRaw` call of a function in prisma/migrations: an
 * interactive transaction of five trips was 6 times slower under the lock (stack measurements, docs/performance.md).
 */
export const openDatabase = (url: string, connections: number): Database =>
  new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: connections, application_name: 'execution-planner' }) });
