import { volumeVariable } from '../../tasks/volumes.ts';
import type { Limits, Workload } from '../port.ts';
import type { JobDirectory } from './directory.ts';

/** PATH of every job that is a process, and of the script over it. */
export const JOB_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Variable of the environment that marks the processes of a job. */
export const MARKER = 'PLANNER_JOB_ID';

/** The environment of a process on a machine; it contains nothing of the service's own. */
export function hostEnvironment(
  { limits, environment, allocation }: Pick<Workload, 'limits' | 'environment' | 'allocation'>,
  place: JobDirectory,
): Readonly<Record<string, string>> {
  return {
    ...environment,
    PATH: JOB_PATH,
    HOME: place.work,
    TMPDIR: place.tmp,
    LANG: 'C.UTF-8',
    OMP_NUM_THREADS: threadCount(limits, allocation),
  };
}

/** Variables of every container, whatever its image and its client say. */
export function containerEnvironment(
  { job, limits, volumes, allocation }: Workload,
  home: string,
  pathOf: (volume: Workload['volumes'][number]) => string,
): Readonly<Record<string, string>> {
  return {
    HOME: home,
    TMPDIR: '/tmp',
    [MARKER]: job,
    OMP_NUM_THREADS: threadCount(limits, allocation),
    ...Object.fromEntries(volumes.map((volume) => [volumeVariable(volume), pathOf(volume)])),
  };
}

/** A parallel job has a rank on each core. */
function threadCount({ cores }: Limits, allocation: Workload['allocation']): string {
  if (allocation !== undefined) return '1';
  return String(Math.max(1, Math.floor(cores / 1000)));
}
