import { DatabaseSync } from 'node:sqlite';
import { CannotStart } from '../words/cannot-start.ts';

/** A folder that only this process may use until `release` or until the process ends. */
type FolderLock = { readonly release: () => void };

/**
 * Locks a folder. Node has no file locks, but its SQLite locks a file through the kernel: that lock
 * ends with the process, even after `kill -9`, whereas a file with a pid would stay and name
 * another process later.
 *
 * @throws CannotStart if another process has the folder
 */
export function lockFolder(folder: string, file: string): FolderLock {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw new CannotStart(
      `${folder} is in use: another planner runs on it. Stop that one first, or give this one a DATA_DIR of its own.`,
      { cause: error },
    );
  }
  return { release: () => database.close() };
}
