import type { Database } from './db/client.ts';

/** The part of a site that says which runners there are. */
type WithRunners = {
  readonly destinations: ReadonlyMap<string, { readonly engine: { readonly runner: string } }>;
};

/**
 * The runners that another site file no longer has and that unfinished jobs need: nobody could go
 * on with these jobs, or stop them.
 */
export async function lostRunners(
  database: Database,
  before: WithRunners,
  after: WithRunners,
): Promise<readonly string[]> {
  const left = runnersOf(after);
  const lost = [...runnersOf(before)].filter((runner) => !left.has(runner));
  if (lost.length === 0) return [];
  const rows = await database.$queryRaw<{ runner: string }[]>`
    SELECT DISTINCT o.runner FROM offer o JOIN job j ON j.id = o.id
    WHERE j.ended_at IS NULL AND o.runner = ANY (${lost}::text[]) ORDER BY o.runner`;
  return rows.map(({ runner }) => runner);
}

function runnersOf({ destinations }: WithRunners): ReadonlySet<string> {
  return new Set([...destinations.values()].map(({ engine }) => engine.runner));
}
