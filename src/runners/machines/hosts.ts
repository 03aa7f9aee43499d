import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NonEmpty } from '../../words/ids.ts';
import type { Allocation } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';

/** Name of the host file of a parallel job, in the directory of its task. */
export const HOST_FILE = 'hosts';

/** What the command of a parallel job finds in its environment. */
export type HostVariables = {
  /** settings of MPI that a client may replace */
  readonly defaults: Readonly<Record<string, string>>;
  readonly own: Readonly<Record<string, string>>;
};

/** The machines for people and programs: `0=n1,1=n2`. */
export function printHosts(hosts: NonEmpty<string>): string {
  return hosts.map((host, index) => `${index}=${host}`).join(',');
}

/** A line of a host file. */
export function hostLine(host: string, slots: number): string {
  return `${host} slots=${slots}\n`;
}

/**
 * Writes the host file of a parallel job whose machines are all on one host.
 *
 * @param file where the command finds it
 */
export async function writeLocalHosts(
  allocation: Allocation,
  draft: JobDirectory,
  file: string,
): Promise<HostVariables> {
  const slots = allocation.reduce((sum, machine) => sum + slotsOf(machine), 0);
  // One line: Open MPI takes the last of several lines for one host.
  await writeFile(join(draft.task, HOST_FILE), hostLine('localhost', slots), { mode: 0o600 });
  const [, ...more] = allocation;
  return {
    defaults: {
      ...openMpiDefaults(file),
      // Images, and hosts, may have no ssh, which Open MPI looks for even when it needs none.
      OMPI_MCA_plm: 'isolated',
      // A container, or a site for throw-away machines, may have no other user.
      OMPI_ALLOW_RUN_AS_ROOT: '1',
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
    },
    own: {
      MACHINE_HOSTS: printHosts(['localhost', ...more.map(() => 'localhost')]),
      MACHINE_HOST_FILE: file,
    },
  };
}

/** What Open MPI 4 and 5 need in a sandbox. @param file the host file, where they find it */
export function openMpiDefaults(file: string): Readonly<Record<string, string>> {
  return {
    OMPI_MCA_orte_default_hostfile: file,
    PRTE_MCA_prte_default_hostfile: file,
    // Every job would bind its ranks to the same first cores of the host.
    OMPI_MCA_hwloc_base_binding_policy: 'none',
    PRTE_MCA_hwloc_default_binding_policy: 'none',
    // Ranks without rights cannot read the memory of others: they copy by way of shared memory.
    OMPI_MCA_btl_vader_single_copy_mechanism: 'none',
    OMPI_MCA_smsc: '^cma,xpmem',
  };
}

/** How many ranks a machine has room for: each has a core of its own, as far as there is one. */
export function slotsOf({ cores }: Allocation[number]): number {
  return Math.max(1, Math.floor(cores / 1000));
}
