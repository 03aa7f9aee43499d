import { spawnSync } from 'node:child_process';
import { lstatSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { visibleEtc } from './etc.ts';
import { isBelow } from './visible-paths.ts';
import type { JobDirectory } from '../../run/directory.ts';

/** What a job sees of the machine besides the programs of the system. */
export type View = {
  /** absolute paths that it may read */
  readonly readable: readonly string[];
  /** device files that it may use besides those of every sandbox (null, zero, random, tty) */
  readonly devices: readonly string[];
  /** `none`: a loopback of its own; `host`: the machine's network, its private services included */
  readonly network: 'none' | 'host';
  /** folders of the directory of all jobs that it may read besides its own */
  readonly shared?: readonly string[];
  /**
   * bytes of shared memory, which count as the job's memory; undefined where nothing counts them:
   * files instead
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

/** The processors; the rest of /sys is not visible. */
const SYS = ['/sys/devices/system/cpu', '/sys/devices/system/node'];

const NAMESPACES = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

// A job cannot make user namespaces of its own, which would give it rights over much of the kernel
// again.
const END = ['--disable-userns', '--remount-ro', '/dev', '--remount-ro', '/'];

/**
 * The words before a command that put it in a sandbox of its own: it sees the system read-only, its
 * own directories under the paths that they have outside, nothing of other jobs, no process but its
 * own and, unless granted, no network. With the last process of the sandbox its mounts are gone.
 */
export function bubblewrapWords(
  place: JobDirectory,
  { readable, devices, network, shared = [], sharedMemory }: View,
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
    // When jobs or readable paths are below /var/tmp, they must be visible there.
    ...([jobs, ...readable].some((path) => isBelow(path, '/var/tmp'))
      ? []
      : ['--bind', place.tmp, '/var/tmp']),
    ...readOnly(readable),
    // Other jobs stay invisible even when the site shows a folder above them.
    '--perms',
    '0755',
    '--tmpfs',
    jobs,
    ...[place.task, ...shared].flatMap((path) => ['--ro-bind', path, path]),
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
 * The words before a command that only looks at the machine: it sees the system and some paths,
 * read-only, and nothing else.
 */
export function lookingWords(readable: readonly string[]): readonly string[] {
  return [
    ...base('none'),
    '--tmpfs',
    '/tmp',
    ...readOnly(readable),
    '--chdir',
    '/',
    ...END,
    '--',
    'env',
    '--default-signal=TERM',
  ];
}

/**
 * The words before a command that installs packages: it has the network of the machine, sees the
 * system and some paths, and writes to one folder.
 */
export function makingWords(readable: readonly string[], folder: string): readonly string[] {
  return [
    ...base('host'),
    '--tmpfs',
    '/tmp',
    ...readOnly(readable),
    '--bind',
    folder,
    folder,
    '--chdir',
    folder,
    ...END,
    '--',
    'env',
    '--default-signal=TERM',
  ];
}

/**
 * Tries whether a sandbox works here for an account.
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
    ...readOnly(visibleEtc()),
    ...readOnly(SYS),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
  ];
}

/** With a merged /usr these are links, on older systems directories. */
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
