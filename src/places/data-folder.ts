import { hash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';
import { makeFolders } from './folders.ts';
import { isReachable, isRoot } from './reachable.ts';

/** A folder that every account can enter and that survives a restart of the machine. */
const OPEN = '/var/tmp';

/** The folder below /var/tmp that replaces a closed one; its name depends only on the path. */
export function standInFor(
  prefix: 'execution-planner' | 'execution-planner-copy',
  path: string,
): string {
  return join(OPEN, `${prefix}-${hash('sha256', resolve(path)).slice(0, 16)}`);
}

/**
 * Makes a folder with mode 0755 in a place where everybody may make folders; refuses one that
 * somebody else made.
 *
 * @throws CannotStart if others can write to the folder
 */
export function claimFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new CannotStart(`${folder} belongs to somebody else; remove it`);
  }
  // The umask may have removed permissions.
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * The folder for files that other accounts use: `directory`, created if missing, or its stand-in if
 * we are root and `directory` is closed to them (as everything below /root is).
 */
export function openDataFolder(directory: string): string {
  const path = resolve(directory);
  makeFolders(path);
  const folder = dataFolderOf(path);
  return folder === path ? path : claimFolder(folder);
}

/** Where `openDataFolder` opens a folder; makes nothing. */
export function dataFolderOf(directory: string): string {
  const path = resolve(directory);
  return !isRoot() || isReachable(path) ? path : standInFor('execution-planner', path);
}

/**
 * The settings; the jobs directory is `jobs` in the data directory unless the operator chose
 * another.
 */
type Directories = { readonly dataDirectory: string; readonly jobsDirectory: string };

/**
 * The jobs directory: the operator's choice, or else a folder that jobs can reach, in the data
 * directory or its stand-in.
 */
export function jobsHome({ dataDirectory, jobsDirectory }: Directories): string {
  const name = 'jobs';
  return jobsDirectory === join(dataDirectory, name)
    ? join(openDataFolder(dataDirectory), name)
    : jobsDirectory;
}
