import { hash } from 'node:crypto';
import type { Database } from '../db/client.ts';
import type { SiteTexts } from '../site/load.ts';

/**
 * A digest of a site file with its calendars.
 *
 * @param plugins that of the code of plug-ins, which executors must use, too; undefined: none
 */
export function digestOfTexts(
  { file, content, calendars }: SiteTexts,
  plugins: string | undefined,
): string {
  const site = [file, content, Object.entries(calendars).sort()];
  return hash('sha256', JSON.stringify(plugins === undefined ? site : [...site, plugins]));
}

/**
 * Hands a site file over to all executors of the database. The last one that a planner hands over
 * counts.
 */
export async function handOver(
  database: Database,
  texts: SiteTexts,
  plugins?: string,
): Promise<void> {
  const { file, content, calendars } = texts;
  await database.$executeRaw`
    INSERT INTO site_text (digest, file, content, calendars)
    VALUES (${digestOfTexts(texts, plugins)}, ${file}, ${content}, ${JSON.stringify(calendars)}::jsonb)
    ON CONFLICT (one) DO UPDATE SET digest = excluded.digest, file = excluded.file,
      content = excluded.content, calendars = excluded.calendars, at = clock_timestamp()`;
}

/** A site file with the digest under which it was handed over. */
export type HandedSite = SiteTexts & { readonly digest: string };

/** The site file that was handed over last; undefined when none was. */
export async function readHanded(database: Database): Promise<HandedSite | undefined> {
  const [row] = await database.$queryRaw<
    HandedSite[]
  >`SELECT file, content, calendars, digest FROM site_text`;
  return row;
}

export async function readHandedDigest(database: Database): Promise<string | undefined> {
  const [row] = await database.$queryRaw<{ digest: string }[]>`SELECT digest FROM site_text`;
  return row?.digest;
}
