import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunId } from '../../../words/run-id.ts';
import { guaranteedOf, type Limits } from '../../port.ts';
import { errorCode } from '../../../words/system-error.ts';
import { signal } from '../supervise/signal.ts';
import { readOrNothing } from './read-or-nothing.ts';

/**
 * Directories of the cgroup file system, by controller. In version 2 all are the same directory, in
 * version 1 each controller has a tree of its own.
 */
export type Cgroup = {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly pids: string;
  readonly cpu: string;
};

const PERIOD_US = 100_000;
/** The kernel refuses a quota below one millisecond. */
const LEAST_QUOTA_US = 1000;

/** The cgroup of one job, below that of all jobs; nothing is made. */
export function cgroupOf({ version, memory, pids, cpu }: Cgroup, job: RunId | string): Cgroup {
  return { version, memory: join(memory, job), pids: join(pids, job), cpu: join(cpu, job) };
}

/** Files by which a process joins: it writes 0 to each. */
export function joinFiles(cgroup: Cgroup): readonly string[] {
  return directoriesOf(cgroup).map((path) => join(path, 'cgroup.procs'));
}

/**
 * The file that counts the processes that the kernel killed for want of memory, in a line `oom_kill
 * <n>`.
 */
export function oomFile({ version, memory }: Cgroup): string {
  return join(memory, version === 2 ? 'memory.events' : 'memory.oom_control');
}

/** Files that may be missing where a kernel has no swap, or is older. */
const WANTED = new Set([
  'memory.swap.max',
  'memory.oom.group',
  'memory.memsw.limit_in_bytes',
  'memory.low',
  'memory.soft_limit_in_bytes',
]);

/**
 * The weight of a core among jobs, and the smallest and largest weight that the kernel takes. A
 * process without cgroup weighs 1024, in version 2 100.
 */
const SHARES = { core: 1024, least: 2, most: 262_144 };
const WEIGHT = { core: 10, least: 1, most: 10_000 };

/** All jobs together weigh as much as one process for each core of the machine. */
export function weightOfAll({ version, cpu }: Cgroup): readonly [path: string, value: string] {
  return version === 2
    ? [
        join(dirname(cpu), 'cpu.weight'),
        weightOf(availableParallelism() * 1000, { ...WEIGHT, core: 100 }),
      ]
    : [join(dirname(cpu), 'cpu.shares'), weightOf(availableParallelism() * 1000, SHARES)];
}

/** Whether a limit may be missing where the kernel does not know it. */
export function isWanted(path: string): boolean {
  return WANTED.has(path.slice(path.lastIndexOf('/') + 1));
}

/** The directories above a cgroup. */
export function parentsOf(cgroup: Cgroup): readonly string[] {
  return [...new Set(directoriesOf(cgroup).map((path) => dirname(path)))];
}

/**
 * The limits of a job: files and their contents, in order. When jobs want more cores than there
 * are, each gets cores in proportion to its minimum. The kernel reclaims memory below the minimum
 * last.
 *
 * @param tasks processes and threads that it may have
 */
export function limitFiles(
  { version, memory, pids, cpu }: Cgroup,
  limits: Limits,
  tasks: number,
): readonly (readonly [path: string, value: string])[] {
  const own = guaranteedOf(limits);
  const [bytes, low] = [String(limits.memory * 2 ** 20), String(own.memory * 2 ** 20)];
  const quota = Math.max(LEAST_QUOTA_US, Math.round((limits.cores * PERIOD_US) / 1000));
  return version === 2
    ? [
        [join(memory, 'memory.max'), bytes],
        [join(memory, 'memory.swap.max'), '0'],
        [join(memory, 'memory.oom.group'), '1'],
        [join(memory, 'memory.low'), low],
        [join(pids, 'pids.max'), String(tasks)],
        [join(cpu, 'cpu.weight'), weightOf(own.cores, WEIGHT)],
        [join(cpu, 'cpu.max'), `${quota} ${PERIOD_US}`],
      ]
    : [
        [join(memory, 'memory.limit_in_bytes'), bytes],
        [join(memory, 'memory.memsw.limit_in_bytes'), bytes],
        [join(memory, 'memory.soft_limit_in_bytes'), low],
        [join(pids, 'pids.max'), String(tasks)],
        [join(cpu, 'cpu.shares'), weightOf(own.cores, SHARES)],
        [join(cpu, 'cpu.cfs_period_us'), String(PERIOD_US)],
        [join(cpu, 'cpu.cfs_quota_us'), String(quota)],
      ];
}

/**
 * Makes the cgroup of a job and sets its limits.
 *
 * @throws Error when the machine does not let us
 */
export function createCgroup(cgroup: Cgroup, limits: Limits, tasks: number): void {
  makeSurely(cgroup);
  for (const [path, value] of [...limitFiles(cgroup, limits, tasks), weightOfAll(cgroup)]) {
    try {
      writeFileSync(path, value);
    } catch (error) {
      if (!isWanted(path)) throw error;
    }
  }
}

/** How many of its processes the kernel has killed because their memory was over the limit. */
export function oomKills(cgroup: Cgroup): number {
  return Number(/^oom_kill (\d+)$/m.exec(readOrNothing(oomFile(cgroup)))?.[1] ?? 0);
}

const ROUNDS = 500;

/**
 * Forbids new processes in a cgroup, kills all that are in it, and waits until they are gone.
 *
 * @returns false when something could not be killed within 10 s
 */
export async function emptyCgroup(cgroup: Cgroup): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const members = membersOf(cgroup);
    if (members.length === 0) return true;
    try {
      writeFileSync(join(cgroup.pids, 'pids.max'), '0');
    } catch {
      // The cgroup is gone already.
    }
    for (const pid of members) signal(pid, 'SIGKILL');
    await delay(20);
  }
  return false;
}

/** Removes an empty cgroup, and that of all jobs when it was the last. */
export async function removeCgroup(cgroup: Cgroup): Promise<void> {
  for (const path of directoriesOf(cgroup)) {
    // The kernel releases a cgroup a moment after its last process is gone.
    for (let round = 0; !remove(path) && round < 50; round += 1) await delay(20);
    remove(dirname(path));
  }
}

/**
 * Ends what is left in a cgroup, and removes it.
 *
 * @returns whether the kernel had killed a process in it for want of memory
 */
export async function closeCgroup(cgroup: Cgroup): Promise<boolean> {
  const killed = oomKills(cgroup) > 0;
  await emptyCgroup(cgroup);
  await removeCgroup(cgroup);
  return killed;
}

function directoriesOf({ memory, pids, cpu }: Cgroup): readonly string[] {
  return [...new Set([memory, pids, cpu])];
}

function weightOf(cores: number, { core, least, most }: typeof SHARES): string {
  return String(Math.min(most, Math.max(least, Math.round((cores * core) / 1000))));
}

/** The end of the last job removes the directory of all jobs, perhaps between our two steps. */
function makeSurely(cgroup: Cgroup): void {
  for (let left = 10; ; left -= 1) {
    try {
      return make(cgroup);
    } catch (error) {
      if (left === 0 || errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

function make(cgroup: Cgroup): void {
  for (const path of directoriesOf(cgroup)) {
    const parent = dirname(path);
    mkdirSync(parent, { recursive: true });
    if (cgroup.version === 2)
      writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory +pids +cpu');
    mkdirSync(path, { recursive: true });
  }
}

function membersOf({ pids }: Cgroup): readonly number[] {
  return readOrNothing(join(pids, 'cgroup.procs'))
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

function remove(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}
