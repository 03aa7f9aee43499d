import { readFileSync, readdirSync } from 'node:fs';
import type { Ring } from './ring.ts';

/** Processes of this machine that are ranks of the ring, whoever started them. */
export function ranksOf({ program }: Pick<Ring, 'program'>): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && firstWordOf(pid) === program);
}

function firstWordOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];
  } catch {
    return undefined;
  }
}
