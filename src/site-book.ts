import type { Database } from './db/client.ts';
import { handOver } from './executor/handed-site.ts';
import { countEarlier } from './planner/record/quota-use.ts';
import { writeCapacities } from './schedule/book.ts';
import { writeClosures } from './schedule/closures.ts';
import { writeResultPools } from './schedule/results.ts';
import { writeStores } from './schedule/stores.ts';
import { closedAhead } from './site/closed.ts';
import type { SiteTexts } from './site/load.ts';
import { resultPoolsOf } from './site/results.ts';
import type { Site } from './site/site.ts';
import { writeRecordTerms } from './sweeper/purge.ts';

/**
 * Writes the parts of a site that others read into the database. The whole site comes last, for
 * executors.
 *
 * @param plugins digest of the code of plug-ins
 */
export async function writeSite(
  database: Database,
  site: Site,
  texts: SiteTexts,
  plugins: string | undefined,
): Promise<void> {
  await writeCapacities(
    database,
    new Map([...site.destinations].map(([id, { capacity }]) => [id, capacity])),
  );
  await writeResultPools(database, resultPoolsOf(site));
  await writeMaintenance(database, site);
  await writeStores(database, new Map(site.storage.map(({ name, size }) => [name, size])));
  await writeRecordTerms(database, site.records);
  await countEarlier(database, site.quotas);
  await handOver(database, texts, plugins);
}

/** Writes the maintenance that begins within the site's horizon. */
export function writeMaintenance(database: Database, site: Site): Promise<void> {
  return writeClosures(database, closedAhead(site, Date.now()));
}
