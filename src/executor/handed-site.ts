import { hash } from 'node:crypto';
import type { Database } from '../db/client.ts';
import type { SiteTexts } from '../site/load.ts';

/** A digest of a site file with its calendars. */
export function digestOfTexts({ file, content, calendars }: SiteTexts): string {
  return hash('sha256', JSON.stringify([file, content, Object.entries(calendars).sort()]));
}

/**
 * Hands a site file over to all executors of the database. The last one that a planner hands over
 * counts.
 */
export async function handOver(database: Database, texts: SiteTexts): Promise<void> {
  const { file, content, calendars } = texts;
  await database.$executeRaw`
    INSERT INTO site_text (digest, file, content, calendars)
    VALUES (${digestOfTexts(texts)}, ${file}, ${content}, ${JSON.stringify(calendars)}::jsonb)
    ON CONFLICT (one) DO UPDATE SET digest = excluded.digest, file = excluded.file,
      content = excluded.content, calendars = excluded.calendars, at = clock_timestamp()`;
}

/** The site file that was handed over last; undefined when none was. */
export async function readHanded(database: Database): Promise<SiteTexts | undefined> {
  const [row] = await database.$queryRaw<
    SiteTexts[]
  >`SELECT file, content, calendars FROM site_text`;
  return row;
}

export async function readHandedDigest(database: Database): Promise<string | undefined> {
  const [row] = await database.$queryRaw<{ digest: string }[]>`SELECT digest FROM site_text`;
  return row?.digest;
}
