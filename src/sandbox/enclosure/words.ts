import { callFilter } from './call-filter.ts';
import type { Processor } from './system-calls.ts';

/** A command inside an enclosure. */
export type Enclosed = {
  readonly command: string;
  readonly words: readonly string[];
  /** to write to the file descriptor FILTER_AT of the command */
  readonly filter: Uint8Array;
};

/** The first descriptor behind standard streams and channel. */
export const FILTER_AT = 4;
/** The shared libraries of a Node.js, wherever the system has them. */
const LIBRARIES = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache'];

const ALONE = [
  '--unshare-user',
  '--unshare-ipc',
  '--unshare-pid',
  '--unshare-uts',
  '--unshare-net',
  '--unshare-cgroup-try',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--hostname',
  'sandbox',
  '--unsetenv',
  'PATH',
];
const CLOSED = [
  '--dev-bind',
  '/dev/null',
  '/dev/null',
  '--dev-bind',
  '/dev/urandom',
  '/dev/urandom',
  // Settings of the kernel in /proc/sys belong to root, whose number a child of root keeps.
  '--proc',
  '/proc',
  '--remount-ro',
  '/proc',
  '--remount-ro',
  '/',
];

/**
 * A command in a sandbox of the system (bubblewrap): no network, one process, no capabilities, of
 * all files only the given ones and the system's libraries, and only the calls of the kernel that a
 * decision needs.
 *
 * @param command absolute, with its words
 * @param readable absolute paths
 * @throws where `canEnclose` is false
 */
export function enclosed(
  command: readonly [string, ...string[]],
  readable: readonly string[],
  folder: string,
): Enclosed {
  const processor = processorHere();
  if (processor === undefined) throw new Error('there is no filter for this machine');
  const [program] = command;
  const visible = [...LIBRARIES, program, ...readable];
  const words = [
    ...ALONE,
    ...visible.flatMap((path) => ['--ro-bind-try', path, path]),
    ...CLOSED,
    '--chdir',
    folder,
    '--seccomp',
    String(FILTER_AT),
    '--',
    ...command,
  ];
  return { command: 'bwrap', words, filter: callFilter(processor) };
}

/** Whether this is Linux on a processor whose calls are known. Bubblewrap may be missing, or not allowed. */
export function canEnclose(): boolean {
  return processorHere() !== undefined;
}

function processorHere(): Processor | undefined {
  if (process.platform !== 'linux') return undefined;
  return process.arch === 'x64' || process.arch === 'arm64' ? process.arch : undefined;
}
