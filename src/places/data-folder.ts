import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CannotStart } from '../words/cannot-start.ts';
import { isReachable, isRoot } from './reachable.ts';

/** Where every account can pass, and files outlive a restart of the machine. */
const OPEN = '/var/tmp';

/**
 * The folder below /var/tmp that stands for something closed; its name depends on the path alone.
 */
export function standInFor(
  prefix: 'execution-planner' | 'execution-planner-copy',
  path: string,
): string {
  return join(
    OPEN,
    `${prefix}-${createHash('sha256').update(resolve(path)).digest('hex').slice(0, 16)}`,
  );
}

/**
 * Makes a folder with mode 0755 where everybody may make one, and
 * refuses one that somebody else made.
 *
 * @throws CannotStart when the folder is not ours alone to write.
 */
export function claimFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0) {
    throw new CannotStart(`${folder} belongs to somebody else; remove it`);
  }
  // The umask may have taken something away.
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Where files lie that other accounts use: in `directory` itself, which is made when missing, or,
 * when we are root and that is closed to them (as everything below /root is), in its stand-in.
 */
export function openDataFolder(directory: string): string {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true });
  return !isRoot() || isReachable(path) ? path : claimFolder(standInFor('execution-planner', path));
}

/**
 * What the settings say; the jobs directory is `jobs` in the data directory
 * unless the operator chose another.
 */
type Directories = { readonly dataDirectory: string; readonly jobsDirectory: string };

/**
 * The jobs directory: as the operator set it, wherever that is, or, at its default place in the
 * data directory, where jobs can reach it.
 */
export function jobsHome({ dataDirectory, jobsDirectory }: Directories): string {
  const name = 'jobs';
  return jobsDirectory === join(dataDirectory, name)
    ? join(openDataFolder(dataDirectory), name)
    : jobsDirectory;
}
