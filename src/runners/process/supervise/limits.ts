import type { Limits, StopReason } from '../../port.ts';
import { writable, type JobDirectory } from '../../run/directory.ts';
import { sharedOnce, type Process } from './processes.ts';
import { diskUse } from '../../run/results.ts';
import { stopMessage, type Stop } from '../../run/outcome.ts';

const KIB_PER_MIB = 1024;
const BYTES_PER_MIB = 1024 ** 2;

/**
 * Holds the memory of the whole tree against the limit; one process alone is
 * bounded by its data segment as well.
 */
export function checkMemory(limits: Limits, members: readonly Process[]): Stop | undefined {
  const limit = limits.memory * KIB_PER_MIB;
  const sum = members.reduce((total, { memory }) => total + memory, 0);
  if (sum <= limit) return undefined;
  const exact = sharedOnce(members);
  return exact > limit ? over('memory', limits, exact / KIB_PER_MIB) : undefined;
}

/** Bytes that a job may print: its scratch space and a little, so that passing it shows. */
export function mostOutput({ scratch }: Pick<Limits, 'scratch'>): number {
  return (scratch + 1) * BYTES_PER_MIB;
}

/**
 * Holds all that the job wrote against its scratch space.
 * @param strays what it wrote outside of its directory
 */
export async function checkScratch(
  limits: Limits,
  place: JobDirectory,
  strays: readonly string[] = [],
): Promise<Stop | undefined> {
  const limit = limits.scratch * BYTES_PER_MIB;
  const used = await diskUse([...writable(place), place.stdout, place.stderr, ...strays], limit);
  return used > limit ? over('output', limits, used / BYTES_PER_MIB) : undefined;
}

/**
 * Holds the clock against the wall time, some seconds late: the launch script does it in
 * time unless it was tampered with.
 */
export function checkWallTime(
  limits: Limits,
  startTicks: number,
  nowTicks: number,
): Stop | undefined {
  return (nowTicks - startTicks) / 100 > limits.wallTime + 5
    ? { reason: 'wall-time', message: stopMessage('wall-time', limits) }
    : undefined;
}

function over(reason: StopReason, limits: Limits, mebibytes: number): Stop {
  return { reason, message: stopMessage(reason, limits, `${Math.ceil(mebibytes)} MiB`) };
}
