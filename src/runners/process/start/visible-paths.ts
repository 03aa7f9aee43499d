import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** True for a folder itself and everything in it. Both paths are absolute and plain. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** True when a file and the target of its links are both below one of some folders. */
export function isVisible(path: string, folders: readonly string[]): boolean {
  const seen = (one: string): boolean => folders.some((folder) => isBelow(one, folder));
  try {
    return seen(path) && seen(realpathSync(path));
  } catch {
    return false;
  }
}

/**
 * The folders that an interpreter needs: its prefix (that of `<prefix>/bin/python3`), and that of
 * what it is a link to, as in a virtual environment. When the prefix is the root directory, it is
 * the file alone.
 */
export function prefixesOf(interpreter: string): readonly string[] {
  const prefix = (path: string): string =>
    dirname(dirname(path)) === '/' ? path : dirname(dirname(path));
  try {
    return [...new Set([prefix(interpreter), prefix(realpathSync(interpreter))])];
  } catch {
    return [];
  }
}
