import { posix } from 'node:path';
import type { Volume } from '../../../tasks/volumes.ts';
import type { Workload } from '../../port.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { containerEnvironment } from '../../run/environment.ts';
import { volumeDirectory } from '../../run/volumes.ts';

/** Working directory of a container; its files are the results. */
export const WORK = '/job';
/** Where a container finds what was fetched for the task. */
export const TASK = '/task';

/** A file or directory of the job, and where it is in the container. */
export type Mounted = {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
};

/** Where a volume is in the container. */
export function volumePath({ path }: Volume): string {
  return posix.isAbsolute(path)
    ? posix.normalize(path).replace(/(?<=.)\/+$/, '')
    : posix.join(WORK, path);
}

/**
 * The directories of a job in its container, in the order in which they are mounted. `/tmp` is one
 * of them and counts against the scratch space: on a tmpfs it would count as memory.
 *
 * @param more of the engine's own
 */
export function jobMounts(
  { volumes }: Pick<Workload, 'volumes'>,
  place: JobDirectory,
  more: readonly Mounted[] = [],
): readonly Mounted[] {
  const mounts: readonly Mounted[] = [
    { source: place.work, target: WORK, readOnly: false },
    { source: place.tmp, target: '/tmp', readOnly: false },
    { source: place.tmp, target: '/var/tmp', readOnly: false },
    { source: place.task, target: TASK, readOnly: true },
    ...volumes.map((volume) => ({
      source: volumeDirectory(volume, place),
      target: volumePath(volume),
      readOnly: volume.mode === 'r',
    })),
    ...more,
  ];
  // A directory inside another one is mounted after it.
  return mounts.toSorted((one, other) => one.target.length - other.target.length);
}

/** Variables that a client cannot replace. */
export function ownVariables(workload: Workload): Readonly<Record<string, string>> {
  return containerEnvironment(workload, WORK, volumePath);
}
