import { chmod, lstat, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Content } from '../../storage/content.ts';
import { StagingFailure } from '../../storage/failure.ts';
import type { Stager } from '../../storage/stager.ts';
import { errorCode, errorText } from '../../words/system-error.ts';
import type { Workload } from '../port.ts';
import { StoppedBefore } from './unstarted.ts';
import { volumeDirectory } from './volumes.ts';
import type { JobDirectory } from './directory.ts';

/** A volume with contents: its directory, and what is stored of it after the run. */
export type Staged = { readonly directory: string; readonly save: Content | undefined };

/** The volumes of a job that have contents. */
export function stagedOf({ volumes, contents }: Workload, place: JobDirectory): readonly Staged[] {
  return contents.flatMap((content) =>
    volumes
      .filter(({ name }) => name === content.name)
      .map((volume): Staged => ({
        directory: volumeDirectory(volume, place),
        save: isStored(content, volume.mode) ? content : undefined,
      })),
  );
}

/**
 * Fills the volumes of a job; together they may hold as much as its scratch space.
 *
 * @throws StagingFailure, or StoppedBefore
 */
export async function loadVolumes(
  stager: Stager | undefined,
  { volumes, contents, limits, claim: { stopped } }: Workload,
  place: JobDirectory,
): Promise<void> {
  let left = limits.scratch * 2 ** 20;
  for (const content of contents) {
    const volume = volumes.find(({ name }) => name === content.name);
    if (volume === undefined) continue;
    const directory = volumeDirectory(volume, place);
    await chmod(directory, 0o700);
    if (stopped?.aborted === true) throw new StoppedBefore();
    left -= await stagerOf(stager)
      .load(content, directory, left, stopped)
      .catch((error: unknown) => {
        throw stopped?.aborted === true ? new StoppedBefore() : error;
      });
    if (volume.mode === 'r') await chmod(directory, 0o500);
  }
}

/**
 * Stores what the volumes of a job hold after its run.
 *
 * @param owner user whose files they are, when the job had one of its own
 * @returns the first failure; the other volumes are stored nevertheless
 */
export async function saveVolumes(
  stager: Stager | undefined,
  place: Pick<JobDirectory, 'root'>,
  staged: readonly Staged[],
  owner: number | undefined,
): Promise<StagingFailure | undefined> {
  let first: StagingFailure | undefined;
  for (const { directory, save } of staged) {
    if (save === undefined) continue;
    try {
      await stagerOf(stager).save(save, await ownFolder(place, directory, save.name), owner);
    } catch (error) {
      if (!(error instanceof StagingFailure)) throw error;
      first ??= error;
    }
  }
  return first;
}

function isStored(content: Content, mode: 'r' | 'rw'): boolean {
  return mode === 'rw' && (content.kind === 'managed' || content.source.kind === 'plugin');
}

/** The job removed the folder, or put something else in its place. */
const GONE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/**
 * The real path of a volume, which must be where it was made. The job could write to the folders
 * around it, and a link in place of one of them would lead the service to files that the job must
 * not see.
 *
 * Some process of its user may still be there: without cgroups, users and sandboxes nobody finds one
 * that took the marker out of its environment, and all jobs of a batch system may have one user. So
 * what is stored is opened below this path, and only where no link leads to it (`openRegular`).
 */
async function ownFolder(
  { root }: Pick<JobDirectory, 'root'>,
  directory: string,
  name: string,
): Promise<string> {
  try {
    const expected = join(await realpath(root), relative(root, directory));
    if ((await realpath(directory)) === expected && (await lstat(expected)).isDirectory())
      return expected;
  } catch (error) {
    if (!GONE.has(errorCode(error) ?? ''))
      throw new StagingFailure(
        'storage-save-failed',
        `the volume ${name}: ${errorText(error)}`,
        true,
        { cause: error },
      );
  }
  throw new StagingFailure(
    'storage-save-failed',
    `the volume ${name} is no longer a folder of the job`,
  );
}

function stagerOf(stager: Stager | undefined): Stager {
  if (stager !== undefined) return stager;
  throw new StagingFailure('runner-failed', 'this executor has no storage');
}
