import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NonEmpty } from '../../../words/ids.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { TASK, WORK } from '../../container/create/mounts.ts';
import { HOST_FILE, hostLine, openMpiDefaults, printHosts, slotsOf } from '../../machines/hosts.ts';
import type { Allocation } from '../../port.ts';
import type { JobDirectory } from '../../run/directory.ts';
import type { PodProgram } from '../manifests/job.ts';
import { objectName } from '../manifests/manifest.ts';
import type { PodUser } from '../manifests/pod.ts';
import { meetingOf, usersOf } from './form.ts';
import { MACHINE_SCRIPT, REACH_SCRIPT } from './scripts.ts';

const START = 'machine.sh';
const REACH = 'reach.sh';

/**
 * The program of all pods of a parallel job. Writes what they find: the host file, and the scripts
 * by which they reach each other through a directory of the job, so that no image needs `sshd`.
 *
 * @throws JobFailure
 */
export async function prepareMachines(
  program: PodProgram,
  allocation: Allocation,
  draft: JobDirectory,
): Promise<PodProgram> {
  const { entrypoint, command = [] } = program;
  if (entrypoint === undefined)
    throw new JobFailure('runner-failed', 'a parallel container names its entry point here');
  const hosts = hostsOf(draft.job, allocation);
  const slots = slotsOf(allocation[0]);
  const files = {
    [HOST_FILE]: hosts.map((host) => hostLine(host, slots)).join(''),
    [START]: MACHINE_SCRIPT,
    [REACH]: REACH_SCRIPT,
  };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(draft.task, name), text, { mode: 0o600 });
  for (const name of ['here', ...hosts.keys()])
    await mkdir(join(meetingOf(draft), String(name)), { recursive: true, mode: 0o700 });
  const reach = `/bin/sh ${TASK}/${REACH}`;
  const environment = {
    ...openMpiDefaults(`${TASK}/${HOST_FILE}`),
    // Open MPI 4 and 5. Only the first machine knows how to reach all others.
    OMPI_MCA_plm_rsh_agent: reach,
    OMPI_MCA_plm_rsh_no_tree_spawn: '1',
    PRTE_MCA_plm_ssh_agent: reach,
    PRTE_MCA_plm_ssh_no_tree_spawn: '1',
    ...program.environment,
    MACHINE_COUNT: String(hosts.length),
    MACHINE_HOSTS: printHosts(hosts),
    MACHINE_HOST_FILE: `${TASK}/${HOST_FILE}`,
    MACHINE_SHELL: reach,
  };
  return {
    ...program,
    entrypoint: ['/bin/sh', `${TASK}/${START}`],
    command: [...entrypoint, ...command],
    environment,
    output: 'files',
    machines: hosts.length,
  };
}

/** Writes who the user of a parallel job is: Open MPI asks for the name of its user. */
export async function writeUsers(draft: JobDirectory, { uid, gid }: PodUser): Promise<void> {
  const users = `root:x:0:0::/:/bin/sh\njob:x:${uid}:${gid}::${WORK}:/bin/sh\n`;
  await writeFile(usersOf(draft), users);
  // Whatever the umask is.
  await chmod(usersOf(draft), 0o644);
}

/** By the name of the Service. */
function hostsOf(job: string, allocation: Allocation): NonEmpty<string> {
  const name = objectName(job);
  const [, ...others] = allocation;
  const host = (index: number): string => `${name}-${index}.${name}`;
  return [host(0), ...others.map((_, index) => host(index + 1))];
}
