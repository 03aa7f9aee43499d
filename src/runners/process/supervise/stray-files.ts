import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runWhileLent } from './tree.ts';

/** Directories of a machine where every user may write. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm'];

/**
 * Files that a job with a user of its own wrote outside its directory, where every user may write.
 * They count against its scratch space. None for jobs that run as the service's user, whose files
 * look like the service's.
 */
export async function strayFiles(uid: number | undefined): Promise<readonly string[]> {
  if (uid === undefined) return [];
  const found: string[] = [];
  for (const directory of SHARED) {
    const names = await readdir(directory).catch(() => []);
    for (const name of names) {
      const path = join(directory, name);
      const stats = await lstat(path).catch(() => undefined);
      if (stats?.uid === uid) found.push(path);
    }
  }
  return found;
}

/**
 * Removes these files, so that the next job with this user does not find them. Called when nothing
 * of the job runs any more.
 *
 * @param proof a file that is there as long as the user is the job's
 */
export async function removeStrayFiles(
  uid: number | undefined,
  proof: string | undefined,
): Promise<void> {
  const files = await strayFiles(uid);
  if (proof !== undefined && files.length > 0)
    await runWhileLent(proof, ['rm', '-rf', '--', ...files]);
}
