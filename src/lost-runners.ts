import type { Database } from './db/client.ts';

/** The part of a site that says which runners there are. */
type WithRunners = {
  readonly destinations: ReadonlyMap<string, { readonly engine: { readonly runner: string } }>;
};

/**
 * The runners that a site lacks and that unfinished jobs or open offers need: nobody could go on
 * with these jobs, or stop them.
 *
 * @param before the site that it replaces: what that one lacked, too, is not lost by it
 */
export async function lostRunners(
  database: Database,
  after: WithRunners,
  before?: WithRunners,
): Promise<readonly string[]> {
  const left = runnersOf(after);
  const had = before && runnersOf(before);
  const rows = await database.$queryRaw<{ runner: string }[]>`
    SELECT DISTINCT o.runner FROM offer o LEFT JOIN job j ON j.id = o.id
    WHERE ((j.id IS NOT NULL AND j.ended_at IS NULL)
        OR (o.state = 'OFFERED' AND o.expires_at > clock_timestamp()))
      AND o.runner <> ALL (${[...left]}::text[]) ORDER BY o.runner`;
  return rows.map(({ runner }) => runner).filter((runner) => had?.has(runner) ?? true);
}

function runnersOf({ destinations }: WithRunners): ReadonlySet<string> {
  return new Set([...destinations.values()].map(({ engine }) => engine.runner));
}
