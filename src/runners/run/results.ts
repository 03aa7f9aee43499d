import { isUtf8 } from 'node:buffer';
import type { Stats } from 'node:fs';
import { chmod, lstat, opendir, rename } from 'node:fs/promises';
import { extname, relative } from 'node:path';
import { errorCode } from '../../words/system-error.ts';
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
 * The files below the working directory as results. Names that are not UTF-8 get one that is, since
 * no list of results could say them.
 *
 * @param owner user of the job, if it had one of its own: only his files count, not hard links to
 *   those of others
 * @param taken ids that are in use already; grows
 * @param except directories whose files are no results: they were brought there, or are stored
 *   elsewhere
 * @param exceptNamed names of such directories, wherever they are
 */
export async function workResults(
  { root, work }: { readonly root: string; readonly work: string },
  owner: number | undefined,
  taken: Set<string>,
  except: ReadonlySet<string> = new Set(),
  exceptNamed: ReadonlySet<string> = new Set(),
): Promise<readonly JobResult[]> {
  const leftOut = { paths: new Set([...except].map(bytePath)), names: exceptNamed };
  const results: JobResult[] = [];
  const isOwn = ({ uid }: Stats): boolean => owner === undefined || uid === owner;
  const seen: Seeing = (path, stats) => (isOwn(stats) ? readable(path, stats) : path);
  for await (const { path: bytes, stats } of entriesBelow(bytePath(work), leftOut, seen)) {
    const path = bytesOf(bytes);
    if (stats?.isFile() !== true || !isOwn(stats) || !isUtf8(path)) continue;
    if (results.length === MOST_RESULTS) break;
    const place = path.toString();
    const id = resultId(relative(work, place), taken);
    const mimeType = mimeTypeOf(place);
    results.push({ id, path: relative(root, place), mimeType, size: stats.size });
  }
  return results;
}

/**
 * Bytes on disk of files and directories, with inodes; sparse files count by the blocks that they
 * take.
 *
 * @param enough counting ends when there are more bytes than this
 * @returns more than that, too, for a tree whose paths are too long for the system: nobody knows
 *   what is there
 */
export async function diskUse(
  paths: readonly (string | Buffer)[],
  enough: number,
): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    const stats = await lstat(path).catch(() => undefined);
    bytes += (stats?.blocks ?? 0) * 512;
    for await (const entry of entriesBelow(bytePath(path))) {
      if (entry.stats === undefined) return enough + 1;
      // An inode takes 256 to 512 bytes, even that of an empty file.
      bytes += entry.stats.blocks * 512 + 512;
      if (bytes > enough) return bytes;
    }
  }
  return bytes;
}

/** A path with one character for each of its bytes: a job names its files as it likes. */
type BytePath = string;

/** `stats`: undefined when the path is too long for the system */
type Entry = { readonly path: BytePath; readonly stats: Stats | undefined };

/** What of a tree nobody looks at; the names are of ASCII. */
type LeftOut = { readonly paths: ReadonlySet<BytePath>; readonly names: ReadonlySet<string> };

/** Sees each entry before what is in it. @returns its path from then on */
type Seeing = (path: BytePath, stats: Stats) => BytePath | Promise<BytePath>;

/**
 * Everything below `directory`, names in order; symbolic links are not followed. What
 * vanishes meanwhile is left out. However deep a tree is, each entry costs the same.
 */
async function* entriesBelow(
  directory: BytePath,
  leftOut: LeftOut = { paths: new Set(), names: new Set() },
  seen: Seeing = (path) => path,
): AsyncGenerator<Entry> {
  const open = [{ directory, names: await namesIn(directory) }];
  for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
    const name = at.names.pop();
    if (name === undefined) {
      open.pop();
      continue;
    }
    const path = `${at.directory}/${name}`;
    if (leftOut.paths.has(path) || leftOut.names.has(name)) continue;
    const stats = await lstat(bytesOf(path)).catch(errorCode);
    if (stats === 'ENAMETOOLONG') yield { path, stats: undefined };
    if (stats === undefined || typeof stats === 'string') continue;
    const now = await seen(path, stats);
    yield { path: now, stats };
    if (stats.isDirectory()) open.push({ directory: now, names: await namesIn(now) });
  }
}

/** The names in a directory, the first one last. */
async function namesIn(directory: BytePath): Promise<string[]> {
  const names: string[] = [];
  try {
    const entries = await opendir(bytesOf(directory), { encoding: 'latin1' });
    for await (const entry of entries) names.push(entry.name);
  } catch {
    // It vanished, or nobody may look into it.
  }
  return names.sort().reverse();
}

/** Makes an entry one that the service can read and name. @returns its path */
async function readable(path: BytePath, stats: Stats): Promise<BytePath> {
  const least = stats.isDirectory() ? 0o700 : stats.isFile() ? 0o400 : 0;
  // Where jobs have users of their own, the service is root and needs no permission.
  if (stats.uid === process.getuid?.() && (stats.mode & least) !== least)
    await chmod(bytesOf(path), (stats.mode & 0o777) | least).catch(() => undefined);
  const start = path.lastIndexOf('/') + 1;
  const name = bytesOf(path.slice(start));
  if (isUtf8(name)) return path;
  const base = `${path.slice(0, start)}${bytePath(name.toString().replaceAll('\u{fffd}', '_'))}`;
  let free = base;
  for (let copy = 2; await lstat(bytesOf(free)).catch(() => undefined); copy += 1)
    free = `${base}-${copy}`;
  return rename(bytesOf(path), bytesOf(free)).then(
    () => free,
    () => path,
  );
}

function bytePath(path: string | Buffer): BytePath {
  return (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');
}

function bytesOf(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}
