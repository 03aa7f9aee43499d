import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client } from 'pg';
import { to } from 'pg-copy-streams';
import { pack, type Pack } from 'tar-stream';
import { connectTo } from '../db/migrate.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { errorCode } from '../words/system-error.ts';
import { FORMAT, MANIFEST, type BackupManifest } from './manifest.ts';
import { addOpen, addResults, resultsKept } from './results.ts';
import { migrationsOf, quotedName, tablesOf, type Table } from './tables.ts';

type BackupParts = {
  readonly databaseUrl: string;
  readonly jobsDirectory: string;
  readonly file: string;
  /** ends it early */
  readonly signal: AbortSignal;
};

/** What a backup contains. */
type BackupReport = { readonly tables: number; readonly results: number; readonly missing: number };

/**
 * Writes a backup: the rows of all tables at one instant, and the results of finished jobs.
 *
 * @throws CannotStart if the database does not answer or is not a planner's, or the file exists
 * @throws Error if the file cannot be written, and the reason of `signal`; an incomplete file is
 * removed
 */
export async function writeBackup(parts: BackupParts): Promise<BackupReport> {
  const client = await connectTo(parts.databaseUrl);
  try {
    await requirePlanner(client);
    return await writeFrom(client, parts);
  } finally {
    await client.end();
  }
}

/** @throws CannotStart with the database, if no planner has ever started on it */
async function requirePlanner(client: Client): Promise<void> {
  const { rows } = await client.query<{ ours: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS ours`,
  );
  if (rows[0]?.ours !== true)
    throw new CannotStart(
      `the database ${client.database} has nothing of a planner; is DATABASE_URL right?`,
    );
}

async function writeFrom(
  client: Client,
  { jobsDirectory, file, signal }: BackupParts,
): Promise<BackupReport> {
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  await new Promise<void>((opened, failed) =>
    target.once('open', () => opened()).once('error', (error) => failed(unopened(file, error))),
  );
  const spoolFolder = await mkdtemp(`${resolve(file)}.`);
  const archive = pack();
  const written = Promise.all([
    addAll(archive, client, join(spoolFolder, 'rows'), jobsDirectory),
    pipeline(archive, createGzip(), target),
  ]);
  try {
    const [report] = await Promise.race([written, endOf(signal)]);
    return report;
  } catch (error) {
    archive.destroy();
    // Ends a statement that goes on, so that nothing writes into what is removed.
    await client.end();
    await written.catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  } finally {
    await rm(spoolFolder, { recursive: true, force: true });
  }
}

/** Rejects with the reason of the signal. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/** Why a backup's file cannot be made. */
function unopened(file: string, error: Error): Error {
  const why = {
    EEXIST: `${file} is there already: remove it, or name another file`,
    ENOENT: `there is no folder ${dirname(resolve(file))}`,
  }[errorCode(error) ?? ''];
  return why === undefined ? error : new CannotStart(why, { cause: error });
}

async function addAll(
  archive: Pack,
  client: Client,
  spool: string,
  jobsDirectory: string,
): Promise<BackupReport> {
  // One snapshot for all tables; the service continues meanwhile.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  const tables = await tablesOf(client);
  const {
    rows: [now],
  } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const manifest: BackupManifest = {
    format: FORMAT,
    at: (now?.at ?? new Date(0)).toISOString(),
    migrations: await migrationsOf(client),
    tables,
    sequences: await readSequences(client),
  };
  archive.entry({ name: MANIFEST }, JSON.stringify(manifest));
  for (const table of tables) await addTable(archive, client, table, spool);
  const kept = await resultsKept(client);
  // Results may take hours, in which the database must be able to clean up behind its transactions.
  await client.query('COMMIT');
  const added = await addResults(archive, jobsDirectory, kept);
  archive.finalize();
  return { tables: tables.length, ...added };
}

async function readSequences(client: Client): Promise<BackupManifest['sequences']> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `
      SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** Writes rows through a temporary file: a tar needs the size before the content. */
async function addTable(
  archive: Pack,
  client: Client,
  { name, columns }: Table,
  spool: string,
): Promise<void> {
  await pipeline(
    client.query(
      to(`COPY (SELECT ${columns.map(quotedName).join(', ')} FROM ${quotedName(name)}) TO STDOUT`),
    ),
    createWriteStream(spool),
  );
  const file = await open(spool);
  await addOpen(archive, `database/${name}`, file).finally(() => file.close());
}
