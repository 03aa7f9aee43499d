import type { Database } from '../db/client.ts';

/** What maintenance takes of a destination for a time, in the database's units. */
export type Closed = {
  readonly destination: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly cores: number;
  readonly memory: number;
  readonly scratch: number;
};

/**
 * Makes the closures of all destinations equal to the site file: late jobs are placed around them.
 */
export async function writeClosures(
  database: Database,
  closures: readonly Closed[],
): Promise<void> {
  await database.$executeRaw`SELECT write_closures(${JSON.stringify(closures)}::jsonb)::text`;
}
