import type { RunId } from '../../../words/run-id.ts';
import { readProcesses, ticksSinceBoot, type Process } from './processes.ts';
import { oomKills } from '../cgroup/cgroup.ts';
import type { JobDirectory } from '../../run/directory.ts';
import { stopFor, type Stop } from '../../run/outcome.ts';
import { isAlive, type Run } from './run.ts';
import { strayFiles } from './stray-files.ts';
import { processesOf } from './tree.ts';
import { checkMemory, checkWallTime } from './limits.ts';
import { checkScratch } from '../../run/scratch.ts';

/** Checks running jobs: whether they are over, and whether they keep their limits. */
type RunMonitor = {
  readonly watch: (job: RunId, run: Run) => void;
  readonly has: (job: RunId) => boolean;
  /** @returns true when the job was being watched */
  readonly forget: (job: RunId) => boolean;
  readonly close: () => void;
};

/** Called with what a monitor finds. */
type Findings = {
  readonly placeOf: (job: RunId) => JobDirectory;
  readonly onOver: (job: RunId, run: Run, stop: Stop) => Promise<void>;
  readonly onGone: (job: RunId) => Promise<void>;
};

/**
 * Without cgroups a round costs 35 µs for each process of the machine (7 ms at 200). The data
 * segment and the file sizes of each process are limited; a tree of processes can write, and without
 * cgroups allocate, for half a second.
 */
const ROUND_MS = 500;

/** Starts a monitor; its timer keeps no process alive. */
export function startRunMonitor({ placeOf, onOver, onGone }: Findings): RunMonitor {
  const watched = new Map<RunId, Run>();
  // Counting files can take much longer than a round; memory and time are checked meanwhile.
  const counting = new Set<RunId>();
  const ending = new Set<RunId>();

  const end = (job: RunId, how: () => Promise<void>): void => {
    if (ending.has(job)) return;
    ending.add(job);
    // The next round tries again what fails now (a directory that is being removed).
    void how()
      .catch(() => {})
      .finally(() => ending.delete(job));
  };

  const countFiles = async (job: RunId, run: Run): Promise<void> => {
    const place = placeOf(job);
    const { limits, uid } = run.record;
    const stop = await checkScratch(limits, place, await strayFiles(uid));
    if (stop !== undefined && watched.has(job)) end(job, async () => onOver(job, run, stop));
  };

  const memoryStop = (
    job: RunId,
    { record: { limits, uid, cgroup }, script }: Run,
    processes: () => readonly Process[],
  ): Stop | undefined => {
    if (cgroup === undefined)
      return checkMemory(limits, processesOf({ job, script: script.pid, uid }, processes()));
    // The kernel kills one process; the others would go on without it.
    return oomKills(cgroup) > 0 ? stopFor('memory', limits) : undefined;
  };

  const inspect = (job: RunId, run: Run, processes: () => readonly Process[]): void => {
    if (!isAlive(run)) return end(job, async () => onGone(job));
    const { limits } = run.record;
    const stop =
      memoryStop(job, run, processes) ??
      checkWallTime(limits, run.script.startTicks, ticksSinceBoot());
    if (stop !== undefined) return end(job, async () => onOver(job, run, stop));
    if (counting.has(job)) return undefined;
    counting.add(job);
    void countFiles(job, run)
      .catch(() => {})
      .finally(() => counting.delete(job));
    return undefined;
  };

  const round = (): void => {
    let read: readonly Process[] | undefined;
    const processes = (): readonly Process[] => (read ??= readProcesses());
    for (const [job, run] of watched) inspect(job, run, processes);
  };

  const timer = setInterval(round, ROUND_MS).unref();
  return {
    watch: (job, run) => void watched.set(job, run),
    has: (job) => watched.has(job),
    forget: (job) => watched.delete(job),
    close: () => clearInterval(timer),
  };
}
