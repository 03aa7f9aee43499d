import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** One process of the machine, as /proc tells it. Sizes in KiB. */
export type Process = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: number;
  readonly uid: number;
  /**
   * anonymous and shared memory, resident and swapped, without file pages, which everybody shares
   */
  readonly memory: number;
};

/** What tells the processes of one job from all others. */
type ProcessTree = {
  /** the launch script */
  readonly script: number;
  /** user of this job alone, or undefined when it runs as the service's user */
  readonly uid: number | undefined;
  /** true for a process whose environment carries the job's marker */
  readonly isMarked: (pid: number) => boolean;
};

/** PF_KTHREAD of the kernel's linux/sched.h. */
const KERNEL_THREAD = 0x20_0000;

/**
 * @returns the process, or undefined when it is gone or only waits to be reaped, or is a thread of
 *   the kernel
 */
export function findProcess(pid: number): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name is in parentheses and may itself contain them and blanks.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X' || (Number(rest[2]) & KERNEL_THREAD) !== 0) return undefined;
  const status = read(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks: Number(rest[15]),
    uid: Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1),
    memory:
      kibibytes(status, 'RssAnon') + kibibytes(status, 'RssShmem') + kibibytes(status, 'VmSwap'),
  };
}

/** All live processes of the machine; 35 µs each. Processes that end meanwhile are left out. */
export function readProcesses(): readonly Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => findProcess(Number(name)))
    .filter((entry) => entry !== undefined);
}

/**
 * True when the environment of a process carries this entry, written `NAME=value`.
 * Other users' processes: false.
 */
export function hasEnvironment(pid: number, entry: string): boolean {
  return read(`/proc/${pid}/environ`)?.split('\0').includes(entry) ?? false;
}

/** Boot id of the machine: a pid and start time of another boot mean nothing. */
export function bootId(): string {
  return (read('/proc/sys/kernel/random/boot_id') ?? '').trim();
}

/** Clock ticks since boot: 100 a second on every architecture that Node runs on. */
export function ticksSinceBoot(): number {
  return Number((read('/proc/uptime') ?? '0').split(' ')[0]) * 100;
}

/**
 * The processes of a job, without the launch script and its timer (they share the script's group).
 * A process belongs to it by its user, by descent from the script, by a session that one of its
 * processes has, or by the marker in its environment: a child that calls setsid and forks twice
 * leaves descent and session, but not user and marker.
 */
export function membersOf(tree: ProcessTree, processes: readonly Process[]): readonly Process[] {
  const scriptGroup = processes.find(({ pid }) => pid === tree.script)?.group ?? tree.script;
  const others = new Set([tree.script, process.pid]);
  const candidates = processes.filter(
    ({ pid, group }) => group !== scriptGroup && !others.has(pid),
  );
  const own = (entry: Process): boolean =>
    tree.uid === undefined
      ? entry.parent === tree.script || tree.isMarked(entry.pid)
      : entry.uid === tree.uid;
  const members = new Map(candidates.filter(own).map((entry) => [entry.pid, entry]));
  const sessions = new Set([...members.values()].map(({ session }) => session));
  for (let before = -1; before < members.size;) {
    before = members.size;
    for (const entry of candidates) {
      if (members.has(entry.parent) || sessions.has(entry.session)) members.set(entry.pid, entry);
    }
  }
  return [...members.values()];
}

/**
 * Memory of some processes with shared pages counted once (PSS), in KiB. The kernel walks the page
 * tables for this (about 1 ms per 100 MB), so it is asked only when the simple sum is over a limit:
 * after a fork the pages that parent and child share count twice in it.
 */
export function sharedOnce(processes: readonly Process[]): number {
  return processes.reduce((sum, { pid, memory }) => {
    const rollup = read(`/proc/${pid}/smaps_rollup`);
    if (rollup === undefined) return sum + memory;
    return (
      sum +
      kibibytes(rollup, 'Pss_Anon') +
      kibibytes(rollup, 'Pss_Shmem') +
      kibibytes(rollup, 'SwapPss')
    );
  }, 0);
}

/** For what is read of /proc at a time: a file there has no size, so that others cost more reads. */
const page = Buffer.allocUnsafe(8192);

function read(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const length = readSync(file, page, 0, page.length, null);
    return length < page.length ? page.toString('latin1', 0, length) : readFileSync(path, 'latin1');
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function kibibytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}
