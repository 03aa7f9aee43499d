import { Counter, type Registry } from 'prom-client';
import type { Database } from '../../db/client.ts';
import { ANONYMOUS_OWNER } from '../../identity/principal.ts';
import { sharedFor } from '../../words/shared-for.ts';
import { gaugesOf } from './gauges.ts';

type Table = { readonly name: string; readonly bytes: number; readonly rows: number };

/** What the database keeps, and what was removed. */
type Kept = {
  readonly bytes: number;
  readonly tables: readonly Table[];
  readonly purged: readonly { readonly kind: string; readonly records: number }[];
  /** of anonymous clients, and of all others */
  readonly stored: readonly { readonly owner: string; readonly bytes: number }[];
  /** seconds since the oldest ask of a kind */
  readonly oldest: readonly { readonly kind: string; readonly seconds: number }[];
};

/**
 * Reading the sizes of a few hundred files takes 2 ms; this limits the reads, however often
 * somebody scrapes.
 */
const READ_EVERY_MS = 30_000;

/**
 * Registers what the database keeps; while it does not answer, a scrape reports the last values.
 */
export function registerRecords(registry: Registry, database: Database): () => Promise<void> {
  const gauge = gaugesOf(registry);
  const size = gauge('planner_database_bytes', 'Size of the database on its disc');
  const tables = gauge('planner_table_bytes', 'Size of a table with its indexes', ['table']);
  const rows = gauge('planner_table_rows', 'Rows of a table, estimated by PostgreSQL', ['table']);
  const oldest = gauge(
    'planner_oldest_record_seconds',
    'Age of the oldest stored answer, by kind',
    ['kind'],
  );
  const purged = new Counter({
    name: 'planner_purged_records_total',
    help: 'Records removed for their age, by kind',
    labelNames: ['kind'],
    registers: [registry],
  });
  const stored = gauge(
    'planner_stored_bytes',
    'Records of asks as quotas count them, of anonymous and of named clients',
    ['owner'],
  );
  const fill = sharedFor(
    READ_EVERY_MS,
    () => performance.now(),
    async () => {
      const kept = await readKept(database);
      size.set(kept.bytes);
      for (const table of kept.tables) {
        tables.set({ table: table.name }, table.bytes);
        rows.set({ table: table.name }, table.rows);
      }
      for (const { kind, seconds } of kept.oldest) oldest.set({ kind }, seconds);
      for (const { owner, bytes } of kept.stored) stored.set({ owner }, bytes);
      purged.reset();
      for (const { kind, records } of kept.purged) purged.inc({ kind }, records);
    },
  );
  return () => fill().catch(() => undefined);
}

async function readKept(database: Database): Promise<Kept> {
  const [sizes, tables, purged, stored, oldest] = await Promise.all([
    database.$queryRaw<
      { bytes: number }[]
    >`SELECT pg_database_size(current_database())::float8 AS bytes`,
    // A table that is locked has no size now.
    database.$queryRaw<Table[]>`
      SELECT CASE schemaname WHEN 'public' THEN relname::text ELSE 'graphile_worker.jobs'
        END AS name, coalesce(pg_total_relation_size(relid), 0)::float8 AS bytes,
        n_live_tup::float8 AS rows
      FROM pg_stat_user_tables
      WHERE schemaname = 'public' AND NOT starts_with(relname, '_')
      OR schemaname = 'graphile_worker' AND relname = '_private_jobs'`,
    database.$queryRaw<
      { kind: string; records: number }[]
    >`SELECT kind, records::float8 AS records FROM purged`,
    database.$queryRaw<Kept['stored']>`
      SELECT CASE owner WHEN ${ANONYMOUS_OWNER} THEN 'anonymous' ELSE 'named' END AS owner,
        sum(bytes)::float8 AS bytes FROM stored GROUP BY 1`,
    database.$queryRaw<{ kind: string; seconds: number }[]>`
      SELECT kind,
        greatest(0, extract(epoch
        FROM clock_timestamp() - coalesce(at, clock_timestamp())))::float8 AS seconds FROM (VALUES
        ('refusals', (SELECT created_at FROM ask WHERE result = 'NO' ORDER BY created_at, id LIMIT 1)),
        ('offers', (SELECT created_at FROM ask WHERE result = 'YES' ORDER BY created_at, id
          LIMIT 1))) AS kinds (kind, at)`,
  ]);
  return { bytes: sizes[0]?.bytes ?? 0, tables, purged, stored, oldest };
}
