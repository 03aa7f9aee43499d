import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { connectTo, migrate } from '../db/migrate.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { readEntries } from './archive.ts';
import { MANIFEST, type BackupManifest } from './manifest.ts';
import { migrationsOf, quotedName, tablesOf, type Table } from './tables.ts';

type RestoreParts = {
  readonly databaseUrl: string;
  readonly jobsDirectory: string;
  readonly file: string;
  /** of the file */
  readonly manifest: BackupManifest;
};

/** What was restored. */
type RestoreReport = { readonly at: string; readonly results: number; readonly lost: number };

const LOST = JSON.stringify({
  code: 'run-lost',
  type: 'transient',
  message:
    'The service was restored from a backup that was made while the job ran; what became of ' +
    'the run is not known. Submit it again.',
});

/** In the folder of jobs while a restore fills it: what a killed one left there is nobody's. */
const UNDER_WAY = '.restore-under-way';

/**
 * Fills an empty database and an empty folder of jobs from a backup, in one transaction of the
 * database.
 *
 * @throws CannotStart if they are not empty, or the file is not a whole backup of this version; what
 * it had put there is removed
 */
export async function restoreBackup(parts: RestoreParts): Promise<RestoreReport> {
  await migrate(parts.databaseUrl);
  const client = await connectTo(parts.databaseUrl);
  try {
    await requireEmpty(client, parts.jobsDirectory);
    // Another restore into the same places waits here, and finds them filled.
    await client.query('BEGIN; LOCK TABLE ask');
    await requireEmpty(client, parts.jobsDirectory);
    await clear(parts.jobsDirectory);
    const report = await load(client, parts).catch(async (error: unknown) => {
      await clear(parts.jobsDirectory);
      throw error;
    });
    await client.query('COMMIT');
    return report;
  } finally {
    await client.end();
  }
}

/** @throws CannotStart if the database or the folder has content, which would be overwritten */
async function requireEmpty(client: Client, jobsDirectory: string): Promise<void> {
  const isOfKilled = existsSync(join(jobsDirectory, UNDER_WAY));
  if (!isOfKilled && (await filesIn(jobsDirectory)).length > 0)
    throw new CannotStart(`${jobsDirectory} has files; give an empty folder for the jobs`);
  const {
    rows: [row],
  } = await client.query<{ asks: boolean }>('SELECT EXISTS (SELECT 1 FROM ask) AS asks');
  if (row?.asks === true)
    throw new CannotStart(`the database ${client.database} has asks; give an empty one`);
}

/** Removes the files of a restore that failed or was killed. */
async function clear(jobsDirectory: string): Promise<void> {
  for (const name of [...(await filesIn(jobsDirectory)), UNDER_WAY])
    await rm(join(jobsDirectory, name), { recursive: true, force: true });
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  return files.filter((name) => !name.startsWith('.'));
}

async function load(client: Client, parts: RestoreParts): Promise<RestoreReport> {
  const { file, manifest, jobsDirectory } = parts;
  await begin(client, manifest, file);
  let results = 0;
  await mkdir(jobsDirectory, { recursive: true, mode: 0o711 });
  await writeFile(join(jobsDirectory, UNDER_WAY), '');
  await readEntries(file, async (entry) => {
    const { name, type } = entry.header;
    const table = manifest.tables.find((one) => name === `database/${one.name}`);
    if (table !== undefined) await pipeline(entry, client.query(from(copyInto(table))));
    else if (name.startsWith('jobs/') && type === 'file') {
      const place = placeOf(name, jobsDirectory);
      // Jobs have other users, to whom the results of another job stay closed.
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await pipeline(entry, createWriteStream(place, { flags: 'wx', mode: 0o600 }));
      results += 1;
    } else if (name === MANIFEST) entry.resume();
    else throw new CannotStart(`${file} has an unknown entry: ${name}`);
    return 'more';
  });
  const lost = await finish(client, manifest);
  await rm(join(jobsDirectory, UNDER_WAY));
  return { at: manifest.at, results, lost };
}

function copyInto({ name, columns }: Table): string {
  return `COPY ${quotedName(name)} (${columns.map(quotedName).join(', ')}) FROM STDIN`;
}

async function begin(client: Client, manifest: BackupManifest, file: string): Promise<void> {
  await requireSame(client, manifest, file);
  const known = new Map((await tablesOf(client)).map(({ name, columns }) => [name, columns]));
  if (
    manifest.tables.some(
      ({ name, columns }) => known.get(name)?.toSorted().join() !== columns.toSorted().join(),
    )
  ) {
    throw new CannotStart(`${file} has other tables than this version`);
  }
  await client.query(`TRUNCATE ${manifest.tables.map(({ name }) => quotedName(name)).join(', ')}`);
  await setTriggers(client, manifest, 'DISABLE');
}

async function requireSame(
  client: Client,
  { migrations }: BackupManifest,
  file: string,
): Promise<void> {
  const ours = await migrationsOf(client);
  if (migrations.join() === ours.join()) return;
  const isNewer = migrations.some((name) => !ours.includes(name));
  throw new CannotStart(
    `${file} was written by ${isNewer ? 'a newer' : 'an older'} version (its last migration ` +
      `is ${migrations.at(-1) ?? 'none'}, that of this version ${ours.at(-1) ?? 'none'}); ` +
      'restore it with that version, then start this one on it',
  );
}

async function setTriggers(
  client: Client,
  manifest: BackupManifest,
  state: 'ENABLE' | 'DISABLE',
): Promise<void> {
  for (const { name } of manifest.tables)
    await client.query(`ALTER TABLE ${quotedName(name)} ${state} TRIGGER USER`);
}

/**
 * The path of an archive's entry below the folder of jobs.
 * @throws CannotStart if it leads elsewhere
 */
function placeOf(name: string, jobsDirectory: string): string {
  const place = resolve(jobsDirectory, name.slice('jobs/'.length));
  if (!place.startsWith(`${resolve(jobsDirectory)}${sep}`))
    throw new CannotStart(`the backup has a file that leads elsewhere: ${name}`);
  return place;
}

async function finish(client: Client, manifest: BackupManifest): Promise<number> {
  for (const [name, last] of Object.entries(manifest.sequences))
    await client.query('SELECT setval($1::regclass, $2::bigint)', [quotedName(name), last]);
  await setTriggers(client, manifest, 'ENABLE');
  const { rowCount } = await client.query(
    `
    SELECT end_job(o.id, 'FAILED', $1::jsonb) FROM offer o JOIN job j ON j.id = o.id
    WHERE j.ended_at IS NULL AND o.state IN ('PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING')`,
    [LOST],
  );
  return rowCount ?? 0;
}
