import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');

/** Another version of the project, ready to run. */
export type Tree = { readonly folder: string; readonly remove: () => Promise<void> };

/**
 * A work tree of another version, with its packages and generated sources.
 *
 * @param version a commit, or a work tree that is ready
 * @param folder for a new work tree
 * @throws Error if git knows no such commit
 */
export async function treeOf(version: string, folder: string): Promise<Tree> {
  if (await isFolder(version)) return { folder: resolve(version), remove: async () => undefined };
  await git('worktree', 'add', '--detach', '--quiet', folder, version);
  const remove = async (): Promise<void> => {
    await git('worktree', 'remove', '--force', folder);
  };
  try {
    // A link to these packages is no way: the sandbox may read its own tree only.
    await run('npm', ['ci', '--prefer-offline'], { cwd: folder, maxBuffer: 2 ** 26 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, remove };
}

async function git(...words: readonly string[]): Promise<void> {
  await run('git', [...words], { cwd: root });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
