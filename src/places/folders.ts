import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../words/system-error.ts';

/**
 * Makes a folder that is not there yet, and those above it. `mkdir` of Node with `recursive` never
 * ends where a file system answers that a new folder is not there, as /proc does.
 */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST' && statSync(path).isDirectory();
    if (isThere) return;
    const above = dirname(path);
    if (errorCode(error) !== 'ENOENT' || existsSync(above)) throw error;
    makeFolders(above);
    makeFolders(path);
  }
}
