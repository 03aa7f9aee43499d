import type { Limits } from '../../port.ts';
import { sharedOnce, type Process } from './processes.ts';
import { stopFor, type Stop } from '../../run/outcome.ts';

const KIB_PER_MIB = 1024;

/**
 * Compares the memory of the whole tree with the limit; the data segment bounds each single process
 * as well.
 */
export function checkMemory(limits: Limits, members: readonly Process[]): Stop | undefined {
  const limit = limits.memory * KIB_PER_MIB;
  const sum = members.reduce((total, { memory }) => total + memory, 0);
  if (sum <= limit) return undefined;
  const exact = sharedOnce(members);
  return exact > limit
    ? stopFor('memory', limits, `${Math.ceil(exact / KIB_PER_MIB)} MiB`)
    : undefined;
}

/**
 * Compares the clock with the wall time, 5 s late: the launch script stops the job in time unless
 * somebody tampered with it.
 */
export function checkWallTime(
  limits: Limits,
  startTicks: number,
  nowTicks: number,
): Stop | undefined {
  return (nowTicks - startTicks) / 100 > limits.wallTime + 5
    ? stopFor('wall-time', limits)
    : undefined;
}
