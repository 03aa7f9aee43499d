import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Client } from 'pg';
import { from } from 'pg-copy-streams';
import { extract } from 'tar-stream';
import { migrate } from '../db/migrate.ts';
import { CannotStart } from '../words/cannot-start.ts';
import { MANIFEST, parseBackupManifest, type BackupManifest } from './manifest.ts';
import { migrationsOf, quotedName, tablesOf } from './tables.ts';

type RestoreParts = {
  readonly databaseUrl: string;
  readonly jobsDirectory: string;
  readonly file: string;
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

/**
 * Fills an empty database and an empty folder of jobs from a backup, in one transaction of the
 * database.
 *
 * @throws CannotStart if they are not empty, or the file is not a backup of this version
 */
export async function restoreBackup(parts: RestoreParts): Promise<RestoreReport> {
  await migrate(parts.databaseUrl);
  const client = new Client({ connectionString: parts.databaseUrl });
  await client.connect();
  try {
    await requireEmpty(client, parts.jobsDirectory);
    await client.query('BEGIN');
    const report = await load(client, parts);
    await client.query('COMMIT');
    return report;
  } finally {
    await client.end();
  }
}

/** @throws CannotStart if the database or the folder has content, which would be overwritten */
async function requireEmpty(client: Client, jobsDirectory: string): Promise<void> {
  const files = await readdir(jobsDirectory).catch(() => []);
  if (files.some((name) => !name.startsWith('.')))
    throw new CannotStart(`${jobsDirectory} has files; give an empty folder for the jobs`);
  const {
    rows: [row],
  } = await client.query<{ asks: boolean }>('SELECT EXISTS (SELECT 1 FROM ask) AS asks');
  if (row?.asks === true)
    throw new CannotStart(`the database ${client.database} has asks; give an empty one`);
}

async function load(client: Client, { file, jobsDirectory }: RestoreParts): Promise<RestoreReport> {
  const entries = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), entries);
  let manifest: BackupManifest | undefined;
  let results = 0;
  try {
    for await (const entry of entries) {
      const { name } = entry.header;
      const table = manifest?.tables.find((one) => name === `database/${one.name}`);
      if (manifest === undefined)
        manifest = await begin(
          client,
          name === MANIFEST ? parseBackupManifest(await text(entry)) : undefined,
          file,
        );
      else if (table !== undefined) {
        await pipeline(
          entry,
          client.query(
            from(
              `COPY ${quotedName(table.name)} (${table.columns.map(quotedName).join(', ')}) FROM STDIN`,
            ),
          ),
        );
      } else if (name.startsWith('jobs/') && entry.header.type === 'file') {
        const place = placeOf(name, jobsDirectory);
        await mkdir(dirname(place), { recursive: true, mode: 0o711 });
        await pipeline(entry, createWriteStream(place, { flags: 'wx', mode: 0o644 }));
        results += 1;
      } else throw new CannotStart(`${file} has an unknown entry: ${name}`);
    }
    await reading;
  } catch (error) {
    reading.catch(() => undefined);
    throw error;
  }
  if (manifest === undefined) throw new CannotStart(`${file} is empty`);
  return { at: manifest.at, results, lost: await finish(client, manifest) };
}

async function begin(
  client: Client,
  manifest: BackupManifest | undefined,
  file: string,
): Promise<BackupManifest> {
  if (manifest === undefined) throw new CannotStart(`${file} is not a backup of the planner`);
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
  return manifest;
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
