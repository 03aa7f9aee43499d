import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';

/** Settings of a machine that unconfined engines change. */
const SETTINGS = [
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/forwarding',
  'net/ipv4/conf/all/route_localnet',
  'net/ipv6/conf/all/forwarding',
  'net/bridge/bridge-nf-call-iptables',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/core_pattern',
  'kernel/keys/root_maxkeys',
  'kernel/unprivileged_userns_clone',
].map((name) => `/proc/sys/${name}`);

/** The state of a machine that tests must not change: kernel settings and network devices. */
export function machineSettings(): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(
      SETTINGS.map((path) => [path, existsSync(path) ? textOf(path).trim() : 'none']),
    ),
    devices: existsSync('/sys/class/net') ? readdirSync('/sys/class/net').sort().join(' ') : '',
  };
}

/**
 * The remains of an engine: processes with its folder in their arguments, mounts below it, and
 * cgroups with one of its names.
 *
 * @param marks ids of jobs and names of nodes
 */
export function leftOf(folders: readonly string[], marks: readonly string[]): readonly string[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
    .filter((words) => folders.some((folder) => words.includes(folder)));
  const mounts = textOf('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => folders.some((folder) => path.startsWith(folder)));
  const cgroups = globSync('/sys/fs/cgroup/**/').filter((path) =>
    marks.some((mark) => path.includes(mark)),
  );
  return [
    ...processes.map((words) => `process ${words}`),
    ...mounts.map((path) => `mount ${path}`),
    ...cgroups.map((path) => `cgroup ${path}`),
    ...folders.filter((folder) => existsSync(folder)),
  ];
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
