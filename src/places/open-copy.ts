import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { claimFolder, standInFor } from './data-folder.ts';
import { isReachable, isRoot } from './reachable.ts';

const HOW = {
  recursive: true,
  verbatimSymlinks: true,
  preserveTimestamps: true,
  mode: constants.COPYFILE_FICLONE,
};

/**
 * A folder from which every account can use these parts of `root`: `root` itself, or a copy below
 * /var/tmp if we are root and a part is closed to other accounts.
 *
 * The name of a copy depends on its source: what npm installs anew is copied anew, in place of the
 * old copy. A rename puts the copy in place as a whole, even if two processes make it at once; an
 * incomplete copy is made again. On two busy cores Node (121 MB) takes 0.13 to 0.36 s, the files of
 * a notebook (17 MB) 0.06 to 0.2 s, PostgreSQL (60 MB) 0.16 to 0.33 s; finding an existing copy
 * takes 0.2, 6 and 25 ms.
 *
 * @param root absolute; all callers name the same parts of a root
 * @param parts files and folders below `root`
 */
export function openCopy(root: string, parts: readonly string[]): string {
  if (!isRoot() || parts.every((part) => isReachable(join(root, part)))) return root;
  const standIn = claimFolder(standInFor('execution-planner-copy', root));
  const digest = digestOf(root, parts);
  const copy = join(standIn, digest);
  if (existsSync(copy)) {
    if (digestOf(copy, parts) === digest) return copy;
    rmSync(copy, { recursive: true, force: true });
  }
  const draft = mkdtempSync(join(standIn, `${digest}.`));
  for (const part of parts) cpSync(join(root, part), join(draft, part), HOW);
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', draft]);
  try {
    renameSync(draft, copy);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  const others = readdirSync(standIn).filter((name) => !name.startsWith(digest));
  for (const name of others) rmSync(join(standIn, name), { recursive: true, force: true });
  return copy;
}

/**
 * A digest of a tree from the size of every file and the second of its last change; contents are
 * not read.
 */
function digestOf(root: string, parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of parts.flatMap((part) => filesOf(join(root, part)))) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const state =
      found?.isFile() === true
        ? [found.size, Math.floor(found.mtimeMs / 1000)]
        : [found?.isSymbolicLink()];
    hash.update(`${[relative(root, path), ...state].join(' ')}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

function filesOf(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
