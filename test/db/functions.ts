import { Client } from 'pg';

const HEADING =
  '-- The views, functions and triggers as a migrated database has them. ' +
  'Written by `npm run functions`; never edited by hand:\n' +
  '-- a change is a new migration, which begins with the text that stands here.\n';

/** The texts of all views, functions and triggers in a database after all migrations, by name. */
export async function functionsOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const views = await client.query<{ text: string }>(`
      SELECT 'CREATE VIEW ' || viewname || E' AS\\n' || definition AS text FROM pg_views
      WHERE schemaname = 'public' ORDER BY viewname COLLATE "C"`);
    const functions = await client.query<{ text: string }>(`
      SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
        AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
      ORDER BY p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"`);
    const triggers = await client.query<{ text: string }>(`
      SELECT pg_get_triggerdef(t.oid) AS text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0
      ORDER BY c.relname COLLATE "C", t.tgname COLLATE "C"`);
    const texts = [...views.rows, ...functions.rows, ...triggers.rows].map(
      ({ text }) => `${text.trimEnd().replace(/;$/, '')};\n`,
    );
    return [HEADING, ...texts].join('\n');
  } finally {
    await client.end();
  }
}
