import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Mebibytes } from '../words/units.ts';
import { StorageFull } from './backend.ts';
import { openRegular } from './digest.ts';

/** A regular file below a directory; `path` is relative, with slashes. */
type TreeFile = { readonly path: string; readonly size: number };

/**
 * The regular files below a directory, only those of `owner` if given; symbolic links are not
 * followed.
 *
 * @throws Error for a name that is not UTF-8, since no store could say it
 */
export function filesBelow(directory: string, owner?: number): AsyncGenerator<TreeFile> {
  return below(directory, '', owner);
}

/** What a file and a folder count at least, bytes: empty ones take the room of their inodes. */
export const LEAST_OF_FILE = 512;

/** @throws StorageFull if the files and their folders together are larger than `size` */
export async function filesWithin(
  directory: string,
  size: Mebibytes,
  owner: number | undefined,
): Promise<readonly TreeFile[]> {
  const files: TreeFile[] = [];
  let left = size * 2 ** 20;
  let before: readonly string[] = [];
  for await (const file of filesBelow(directory, owner)) {
    const folders = file.path.split('/').slice(0, -1);
    left -= Math.max(file.size, LEAST_OF_FILE) + LEAST_OF_FILE * newOf(folders, before);
    before = folders;
    if (left < 0) throw new StorageFull(size);
    files.push(file);
  }
  return files;
}

/**
 * Copies one file and creates its directories; an existing file is not overwritten.
 * @param from its real path
 */
export async function copyFileTo(from: string, to: string): Promise<void> {
  await mkdir(join(to, '..'), { recursive: true, mode: 0o700 });
  await pipeline(
    createReadStream(from, { fd: await openRegular(from) }),
    createWriteStream(to, { flags: 'wx', mode: 0o600 }),
  );
}

/** How many of the folders are not those of the file before: files come in order. */
function newOf(folders: readonly string[], before: readonly string[]): number {
  const same = folders.findIndex((name, index) => name !== before[index]);
  return same === -1 ? 0 : folders.length - same;
}

async function* below(
  directory: string,
  prefix: string,
  owner: number | undefined,
): AsyncGenerator<TreeFile> {
  for (const written of (await readdir(directory, { encoding: 'latin1' })).sort()) {
    // A character for each byte: whoever made the file named it as he liked.
    const bytes = Buffer.from(written, 'latin1');
    const name = bytes.toString();
    if (!isUtf8(bytes)) throw new Error(`a name in it is not UTF-8: ${prefix}${name}`);
    const stats = await lstat(join(directory, name));
    if (stats.isDirectory()) yield* below(join(directory, name), `${prefix}${name}/`, owner);
    if (stats.isFile() && (owner === undefined || stats.uid === owner))
      yield { path: `${prefix}${name}`, size: stats.size };
  }
}
