import type { Workload } from '../../port.ts';
import { bubblewrapWords } from './bubblewrap.ts';
import type { Cgroup } from '../cgroup/cgroup.ts';
import type { JobDirectory } from '../../run/directory.ts';
import type { JobHost } from './host.ts';
import type { Isolation } from './isolation.ts';
import type { Launch } from './script.ts';
import type { Device } from '../settings.ts';
import type { RunMethod } from './run-method.ts';

/** The isolation of the jobs of one method: not every method can run in a sandbox. */
export function isolationOf(
  { isolation }: Pick<JobHost, 'isolation'>,
  { view }: RunMethod,
): Isolation {
  return view === undefined ? { ...isolation, sandbox: 'none' } : isolation;
}

/** The first processes of a sandbox count as tasks of the job. */
const SANDBOX_TASKS = 3;

/** What one job has for itself. */
type Own = {
  readonly cgroup: Cgroup | undefined;
  readonly devices: readonly Device[];
  readonly shared?: readonly string[] | undefined;
};

/** What confines the command of a job. */
export function confinementOf(
  jobHost: JobHost,
  method: RunMethod,
  { limits }: Workload,
  place: JobDirectory,
  { cgroup, devices, shared = [] }: Own,
): Pick<Launch, 'isolation' | 'sandbox' | 'cgroup' | 'tasks'> {
  const { tasks } = jobHost;
  const { view } = method;
  if (view === undefined || jobHost.isolation.sandbox === 'none')
    return { isolation: method.isolation, sandbox: [], cgroup, tasks };
  const files = [...new Set(devices.flatMap((device) => device.files))];
  // Only a cgroup counts shared memory.
  const sharedMemory = cgroup && limits.memory * 2 ** 20;
  return {
    isolation: [],
    sandbox: bubblewrapWords(place, { ...view, devices: files, shared, sharedMemory }),
    cgroup,
    tasks: tasks + SANDBOX_TASKS,
  };
}
