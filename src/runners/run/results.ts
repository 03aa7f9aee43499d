import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import type { JobResult } from '../port.ts';

const MIME_TYPES: ReadonlyMap<string, string> = new Map([
  ['.txt', 'text/plain; charset=utf-8'],
  ['.log', 'text/plain; charset=utf-8'],
  ['.md', 'text/markdown; charset=utf-8'],
  ['.csv', 'text/csv; charset=utf-8'],
  ['.tsv', 'text/tab-separated-values; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.json', 'application/json'],
  ['.xml', 'application/xml'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
  ['.vot', 'application/x-votable+xml'],
  ['.fits', 'application/fits'],
  ['.fit', 'application/fits'],
  ['.ipynb', 'application/x-ipynb+json'],
  ['.parquet', 'application/vnd.apache.parquet'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.svg', 'image/svg+xml'],
  ['.pdf', 'application/pdf'],
  ['.gz', 'application/gzip'],
  ['.zip', 'application/zip'],
  ['.tar', 'application/x-tar'],
  ['.h5', 'application/x-hdf5'],
  ['.npy', 'application/octet-stream'],
]);

/** Most files of a job that become results; the rest stays until the job is destroyed. */
const MOST_RESULTS = 1000;
const DEEPEST = 32;

/** Media type of a file by its name; `application/octet-stream` for unknown names. */
export function mimeTypeOf(path: string): string {
  return MIME_TYPES.get(extname(path).toLowerCase()) ?? 'application/octet-stream';
}

/**
 * Result id of a path: a URL segment without escapes, unique among `taken`, to which it is added.
 * `tables/a b.csv` becomes `tables_a_b.csv`, the next one of that form `tables_a_b.csv-2`.
 */
export function resultId(path: string, taken: Set<string>): string {
  const base = path
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 150)
    .replace(/^\.+$/, '_');
  let id = base;
  for (let copy = 2; taken.has(id); copy += 1) id = `${base}-${copy}`;
  taken.add(id);
  return id;
}

type Entry = { readonly path: string; readonly stats: Stats };

/** One file as a result, if it is a regular file. */
export async function fileResult(
  root: string,
  path: string,
  id: string,
  mimeType: string,
): Promise<readonly JobResult[]> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true
    ? [{ id, path: relative(root, path), mimeType, size: stats.size }]
    : [];
}

/**
 * The files below the working directory as results.
 *
 * @param owner user of the job, if it had one of its own: only his files count, not hard links to
 *   those of others
 * @param taken ids that are in use already; grows
 * @param except directories whose files are no results: they were brought there, or are stored
 *   elsewhere
 */
export async function workResults(
  { root, work }: { readonly root: string; readonly work: string },
  owner: number | undefined,
  taken: Set<string>,
  except: ReadonlySet<string> = new Set(),
): Promise<readonly JobResult[]> {
  const results: JobResult[] = [];
  for await (const { path, stats } of entriesBelow(work, DEEPEST, except)) {
    if (!stats.isFile() || (owner !== undefined && stats.uid !== owner)) continue;
    if (results.length === MOST_RESULTS) break;
    const id = resultId(relative(work, path), taken);
    results.push({ id, path: relative(root, path), mimeType: mimeTypeOf(path), size: stats.size });
  }
  return results;
}

// A path has at most 4,096 bytes, so this is deeper than any path can name.
const ANY_DEPTH = 2048;

/**
 * Bytes on disk of files and directories, with inodes; sparse files count by the blocks that they
 * take.
 *
 * @param enough counting ends when there are more bytes than this
 */
export async function diskUse(paths: readonly string[], enough: number): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const stats = await lstat(path).catch(() => undefined);
    bytes += (stats?.blocks ?? 0) * 512;
    for await (const entry of entriesBelow(path, ANY_DEPTH)) {
      // An inode takes 256 to 512 bytes, even that of an empty file.
      bytes += entry.stats.blocks * 512 + 512;
      if (bytes > enough) return bytes;
    }
  }
  return bytes;
}

/**
 * Everything below `directory`, names in order; symbolic links are not followed. What
 * vanishes meanwhile is left out.
 */
async function* entriesBelow(
  directory: string,
  deepest: number,
  except: ReadonlySet<string> = new Set(),
): AsyncGenerator<Entry> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(directory)) names.push(entry.name);
  } catch {
    return;
  }
  for (const name of names.sort()) {
    const path = join(directory, name);
    if (except.has(path)) continue;
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) continue;
    yield { path, stats };
    if (stats.isDirectory() && deepest > 1) yield* entriesBelow(path, deepest - 1, except);
  }
}
