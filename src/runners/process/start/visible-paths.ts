import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { WorkflowTerms } from '../../../workflows/terms.ts';

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

/** What jobs must see of the machine to run interpreters that are not the system's. */
export function foldersOfInterpreters(terms: WorkflowTerms | undefined): readonly string[] {
  return Object.values(terms ?? {}).flatMap(({ command: [program] }) =>
    isAbsolute(program)
      ? // A script of a virtual environment needs what the environment's own Python is a link to.
        [...prefixesOf(program), ...prefixesOf(join(dirname(program), 'python'))]
      : [],
  );
}
