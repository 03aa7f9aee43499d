import { chmod, mkdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { volumeVariable, type Volume } from '../../tasks/volumes.ts';

/** The two directories of a job that contain its volumes. */
type VolumePlaces = { readonly work: string; readonly volumes: string };

/**
 * Directory of a volume on this machine: below `work` for a relative path, otherwise below
 * `volumes`.
 */
export function volumeDirectory(volume: Volume, { work, volumes }: VolumePlaces): string {
  return posix.isAbsolute(volume.path) ? join(volumes, volume.name) : join(work, volume.path);
}

/**
 * Makes the directories of a job's volumes.
 *
 * @param places where they are made
 * @param later where they will be
 * @returns the environment that names them to a process of this machine
 */
export async function createVolumes(
  volumes: readonly Volume[],
  places: VolumePlaces,
  later: VolumePlaces,
): Promise<Readonly<Record<string, string>>> {
  const environment: Record<string, string> = {};
  for (const volume of volumes) {
    const directory = volumeDirectory(volume, places);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (volume.mode === 'r') await chmod(directory, 0o500);
    environment[volumeVariable(volume)] = volumeDirectory(volume, later);
  }
  return environment;
}
