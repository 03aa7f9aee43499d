import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import type { Pack } from 'tar-stream';
import { errorCode } from '../words/system-error.ts';

/** A result of a finished job: its path below the folder of the job. */
export type ResultRow = { readonly job: string; readonly path: string };

/** How many results are in the archive, and how many were not there. */
type Added = { readonly results: number; readonly missing: number };

export async function resultsKept(client: Client): Promise<readonly ResultRow[]> {
  const { rows } = await client.query<ResultRow>(
    'SELECT job_id AS job, path FROM job_result JOIN job ON job.id = job_id WHERE ended_at ' +
      'IS NOT NULL AND archived_at IS NULL ORDER BY 1, 2',
  );
  return rows;
}

/**
 * Adds the files of this machine. Each is opened when its turn comes: the service removes results
 * while a long backup is written.
 */
export async function addResults(
  archive: Pack,
  jobsDirectory: string,
  rows: readonly ResultRow[],
): Promise<Added> {
  let results = 0;
  for (const { job, path } of rows) {
    const folder = resolve(jobsDirectory, job);
    const full = resolve(folder, path);
    const file = full.startsWith(`${folder}${sep}`) ? await openPlain(full) : undefined;
    if (file === undefined) continue;
    await addOpen(archive, `jobs/${job}/${path}`, file).finally(() => file.close());
    results += 1;
  }
  return { results, missing: rows.length - results };
}

/** Adds a file. One that grows is cut: a tar has the size before the content. */
export async function addOpen(archive: Pack, name: string, file: FileHandle): Promise<void> {
  const { size, mtime, uid, gid } = await file.stat();
  await pipeline(
    size === 0 ? [] : file.createReadStream({ end: size - 1, autoClose: false }),
    archive.entry({ name, size, mtime, uid, gid, mode: 0o644 }),
  );
}

/** What stands where a file is missing: nothing, a link, or no folder above it. */
const MISSING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Opens a regular file. @returns undefined if there is none */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (MISSING.has(errorCode(error))) return undefined;
    throw error;
  });
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}
