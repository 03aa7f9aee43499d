import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { CannotStart } from '../words/cannot-start.ts';
import { parsedJson } from '../words/record.ts';
import { errorCode, errorText } from '../words/system-error.ts';
import { MANIFEST, parseBackupManifest, type BackupManifest } from './manifest.ts';

/** A file in a backup: its header, and its content as a stream. */
type Entry = Extract extends AsyncIterable<infer One> ? One : never;

/**
 * The manifest of a backup, from the beginning of its file.
 * @throws CannotStart with the file if it cannot be read or is not a backup
 */
export async function readManifest(file: string): Promise<BackupManifest> {
  let manifest: BackupManifest | undefined;
  await readEntries(file, async (entry) => {
    if (entry.header.name === MANIFEST)
      manifest = parseBackupManifest(parsedJson(await text(entry)));
    return 'enough';
  });
  if (manifest === undefined) throw new CannotStart(noBackup(file));
  return manifest;
}

/**
 * Gives the entries of an archive to `use`, one after another, until it has enough.
 * @throws CannotStart with the file if it cannot be read to its end; errors of `use` as they are
 */
export async function readEntries(
  file: string,
  use: (entry: Entry) => Promise<'more' | 'enough'>,
): Promise<void> {
  const [unzipped, entries] = [createGunzip(), extract()];
  // Its error is awaited at the end, and may come while an entry is in use.
  const read = pipeline(createReadStream(file), unzipped, entries).then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    for await (const entry of entries) if ((await use(entry)) === 'enough') return;
    const error = await read;
    if (error !== undefined) throw error;
  } catch (error) {
    const why = troubleWith(file, error) ?? troubleWith(file, unzipped.errored);
    throw why === undefined ? error : new CannotStart(why, { cause: error });
  } finally {
    entries.destroy();
    await read;
  }
}

/** What is wrong with the file; undefined for an error of something else. */
function troubleWith(file: string, error: unknown): string | undefined {
  const [code, said] = [errorCode(error), errorText(error)];
  if (code === 'Z_BUF_ERROR' || said === 'Unexpected end of data')
    return `${file} ends too early: it is not a whole backup`;
  if (said === 'incorrect header check' || said.startsWith('Invalid tar header'))
    return noBackup(file);
  if (code === 'Z_DATA_ERROR') return `${file} is damaged: ${said}`;
  if (Object(error).path !== file && code !== 'EISDIR') return undefined;
  if (code === 'ENOENT') return `there is no file ${file}`;
  return code === 'EISDIR'
    ? `${file} is a folder, not a backup`
    : `${file} cannot be read: ${said}`;
}

function noBackup(file: string): string {
  return `${file} is not a backup of the planner`;
}
