import { createReadStream, createWriteStream } from 'node:fs';
import { constants, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Mebibytes } from '../words/units.ts';
import { StorageFull } from './backend.ts';

/** A regular file below a directory; `path` is relative, with slashes. */
export type TreeFile = { readonly path: string; readonly size: number };

const DEEPEST = 64;

async function* below(directory: string, prefix: string, owner: number | undefined, deepest: number): AsyncGenerator<TreeFile> {
  for (const name of (await readdir(directory)).sort()) {
    const stats = await lstat(join(directory, name));
    if (stats.isDirectory() && deepest > 1) yield* below(join(directory, name), `${prefix}${name}/`, owner, deepest - 1);
    if (stats.isFile() && (owner === undefined || stats.uid === owner)) yield { path: `${prefix}${name}`, size: stats.size };
  }
}

/** The regular files below a directory, of `owner` when one is given; symbolic links are not followed. */
export const filesBelow = (directory: string, owner?: number): AsyncGenerator<TreeFile> => below(directory, '', owner, DEEPEST);

/** @throws StorageFull when the files are larger in all than `size` */
export const filesWithin = async (directory: string, size: Mebibytes, owner: number | undefined): Promise<readonly TreeFile[]> => {
  const files: TreeFile[] = [];
  let left = size * 2 ** 20;
  for await (const file of filesBelow(directory, owner)) {
    left -= file.size;
    if (left < 0) throw new StorageFull(size);
    files.push(file);
  }
  return files;
};

/** Opens a file for reading unless it has become a link. */
export const readFileStream = async (path: string) => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return createReadStream(path, { fd: file });
};

/** Copies one file; directories on the way are made, what is there is not overwritten. */
export const copyFileTo = async (from: string, to: string): Promise<void> => {
  await mkdir(join(to, '..'), { recursive: true, mode: 0o700 });
  await pipeline(await readFileStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
};
