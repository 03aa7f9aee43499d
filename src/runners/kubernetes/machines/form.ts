import { join } from 'node:path';
import type { Mounted } from '../../container/create/mounts.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { objectName } from '../manifests/manifest.ts';
import { MEETING } from './scripts.ts';

/** What the pods of a job are, and have beside the usual. */
type PodForm = {
  /** keys of the Job */
  readonly job: Readonly<Record<string, unknown>>;
  /** keys of its pods */
  readonly pod: Readonly<Record<string, unknown>>;
  readonly files: readonly Mounted[];
  readonly volumes: readonly object[];
  readonly mounts: readonly object[];
};

const ALONE: PodForm = {
  job: { completions: 1, parallelism: 1 },
  pod: { hostname: 'job' },
  files: [],
  volumes: [],
  mounts: [],
};

const SHARED = 'shared-memory';

/** One pod, or as many numbered pods as a parallel job has machines. */
export function podForm(machines: number | undefined, place: JobDirectory): PodForm {
  if (machines === undefined) return ALONE;
  return {
    job: { completions: machines, parallelism: machines, completionMode: 'Indexed' },
    // The cluster gives each of them a host name.
    pod: { subdomain: objectName(place.job) },
    files: [
      { source: meetingOf(place), target: MEETING, readOnly: false },
      { source: usersOf(place), target: '/etc/passwd', readOnly: true },
    ],
    // Ranks share memory, of which runtimes give a pod 64 MiB; it counts as the pod's.
    volumes: [{ name: SHARED, emptyDir: { medium: 'Memory' } }],
    mounts: [{ name: SHARED, mountPath: '/dev/shm' }],
  };
}

/** The directory in which the pods of a parallel job meet. */
export function meetingOf({ out }: JobDirectory): string {
  return join(out, 'machines');
}

/** The file that says who the user of a parallel job is. */
export function usersOf({ root }: JobDirectory): string {
  return join(root, 'passwd');
}
