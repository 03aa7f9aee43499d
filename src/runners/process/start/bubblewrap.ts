import { spawnSync } from 'node:child_process';
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { isBelow } from './visible-paths.ts';
import type { JobDirectory } from '../../run/directory.ts';

/** What of the machine a job sees beside the programs of the system. */
export type View = {
  /** absolute paths that it may read */
  readonly readable: readonly string[];
  /** device files that it may use, beside those that every sandbox has (null, zero, random, tty) */
  readonly devices: readonly string[];
  /** `none`: a loopback of its own; `host`: the machine's network, its private services included */
  readonly network: 'none' | 'host';
  /**
   * bytes of shared memory, which are the job's memory; undefined where nothing would
   * count them: files in its place
   */
  readonly sharedMemory: number | undefined;
};

/** Programs, libraries and what is installed beside the distribution. */
export const SYSTEM = [
  '/usr',
  '/opt',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
] as const;

/**
 * Of /etc only what programs read to run at all: no keys, no passwords, no
 * settings of the machine's services.
 */
const ETC = [
  'alternatives',
  'ca-certificates',
  'fonts',
  'gai.conf',
  'group',
  'host.conf',
  'hosts',
  'ImageMagick-6',
  'java-11-openjdk',
  'java-17-openjdk',
  'java-21-openjdk',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'magic',
  'matplotlibrc',
  'mime.types',
  'networks',
  'nsswitch.conf',
  'OpenCL',
  'openmpi',
  'os-release',
  'papersize',
  'passwd',
  'perl',
  'pki',
  'protocols',
  'python3',
  'python3.11',
  'python3.12',
  'python3.13',
  'R',
  'resolv.conf',
  'rpc',
  'services',
  'ssl/certs',
  'ssl/openssl.cnf',
  'terminfo',
  'texmf',
  'timezone',
  'vulkan',
].map((name) => `/etc/${name}`);

/** How many processors there are; everything else of /sys stays outside. */
const SYS = ['/sys/devices/system/cpu', '/sys/devices/system/node'];

const NAMESPACES = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

// A job cannot make user namespaces of its own, in which it would have rights
// again over much of the kernel.
const END = ['--disable-userns', '--remount-ro', '/dev', '--remount-ro', '/'];

/**
 * The words before a command that put it in a sandbox of its own: it sees the system read-only, its
 * own directories under the paths that they have outside, nothing of other jobs, no process but its
 * own and, unless granted, no network. With the last process of the sandbox its mounts are gone.
 */
export function bubblewrapWords(
  place: JobDirectory,
  { readable, devices, network, sharedMemory }: View,
): readonly string[] {
  const jobs = dirname(place.root);
  const own = [place.work, place.out, place.volumes, place.tmp];
  return [
    ...base(network),
    ...(sharedMemory === undefined
      ? ['--bind', place.tmp, '/dev/shm']
      : ['--perms', '1777', '--size', String(sharedMemory), '--tmpfs', '/dev/shm']),
    ...devices.flatMap((path) => ['--dev-bind', path, path]),
    '--bind',
    place.tmp,
    '/tmp',
    // What is below it has to be seen at its place, and would be made in the job's own directory.
    ...([jobs, ...readable].some((path) => isBelow(path, '/var/tmp'))
      ? []
      : ['--bind', place.tmp, '/var/tmp']),
    ...readOnly(readable),
    // Should the site show a folder above it: other jobs stay out of sight.
    '--perms',
    '0755',
    '--tmpfs',
    jobs,
    '--ro-bind',
    place.task,
    place.task,
    ...own.flatMap((path) => ['--bind', path, path]),
    '--remount-ro',
    jobs,
    '--chdir',
    place.work,
    ...END,
    '--',
    'env',
    '--default-signal=TERM',
  ];
}

/**
 * Whether a sandbox works here for an account, found by trying.
 *
 * @param as words that start a command as that account
 */
export function bubblewrapWorks(
  as: readonly string[],
  environment: Readonly<Record<string, string>>,
): boolean {
  const [program = '', ...words] = [
    ...as,
    ...base('none'),
    ...END,
    '--',
    'env',
    '--default-signal=TERM',
    '-i',
    'true',
  ];
  return (
    spawnSync(program, words, { stdio: 'ignore', env: environment, timeout: 10_000 }).status === 0
  );
}

function base(network: View['network']): readonly string[] {
  return [
    'bwrap',
    ...NAMESPACES,
    ...(network === 'none' ? ['--unshare-net'] : []),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    '--hostname',
    'job',
    ...SYSTEM.flatMap(systemWords),
    ...readOnly(ETC),
    ...readOnly(SYS),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
  ];
}

/** A merged /usr has links where older systems have directories. */
function systemWords(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}

function readOnly(paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => ['--ro-bind-try', path, path]);
}
