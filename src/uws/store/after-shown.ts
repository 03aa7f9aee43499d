import { Prisma } from '../../generated/prisma/client.ts';

/**
 * The first time of the database that is shown as later than this one. The database has microseconds
 * and clients see milliseconds: no job may come after the time that they see for it. It is added
 * there, because PostgreSQL does not read the year 10000 as JavaScript writes it.
 */
export function afterShown(time: Date): Prisma.Sql {
  return Prisma.sql`${time.toISOString()}::timestamptz + interval '1 millisecond'`;
}
