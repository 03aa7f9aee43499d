import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { readDrains, type Drain } from './schedule/drains.ts';
import { withDrains } from './site/drains.ts';
import type { Site } from './site/site.ts';
import { limitConcurrency } from './words/concurrency.ts';

/** The site in force without the offers of drained destinations. */
export type DrainedSite = {
  readonly site: () => Site;
  /** Reads the drains again, after a change by this or another planner. */
  readonly read: () => Promise<void>;
  readonly close: () => void;
};

/** Messages about changes come at once; this is for one that was lost. */
const READ_MS = 10_000;

/** Follows the drains in the database, so that an ask does not have to read them. */
export async function openDrainedSite(
  database: Database,
  site: () => Site,
  log: Pick<Logger, 'warn'>,
): Promise<DrainedSite> {
  let drains = await readDrains(database);
  let seen: { readonly site: Site; readonly drains: readonly Drain[]; readonly whole: Site } = {
    site: site(),
    drains,
    whole: withDrains(site(), drains),
  };
  const oneByOne = limitConcurrency(1);
  const read = (): Promise<void> =>
    oneByOne(async () => {
      const found = await readDrains(database);
      // The closures of a site are cached under its maintenance.
      if (JSON.stringify(found) !== JSON.stringify(drains)) drains = found;
    });
  const readLater = (): Promise<void> =>
    read().catch((err: unknown) => log.warn({ err }, 'the drains could not be read'));
  const timer = setInterval(() => void readLater(), READ_MS).unref();
  return {
    site: () => {
      const now = site();
      if (seen.site !== now || seen.drains !== drains)
        seen = { site: now, drains, whole: withDrains(now, drains) };
      return seen.whole;
    },
    read: readLater,
    close: () => clearInterval(timer),
  };
}
