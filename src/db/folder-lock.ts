import { DatabaseSync } from 'node:sqlite';
import { CannotStart } from '../words/cannot-start.ts';

/**
 * A folder that is this process's alone until `release`, or until the
 * process ends, however it ends.
 */
export type FolderLock = { readonly release: () => void };

/**
 * Takes a folder. Node has no file locks of its own, but SQLite, which it brings, locks its file
 * with the kernel's: such a lock goes with its process, also after `kill -9`, where a file with a
 * pid would stay and name somebody else some day.
 *
 * @throws CannotStart when another process has the folder.
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
