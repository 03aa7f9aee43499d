import type { Limits } from '../port.ts';
import { writable, type JobDirectory } from './directory.ts';
import { stopFor, type Stop } from './outcome.ts';
import { diskUse } from './results.ts';

const MEBIBYTE = 2 ** 20;

/** Bytes that a job may print: its scratch space and a little, so that passing it shows. */
export function mostOutput({ scratch }: Pick<Limits, 'scratch'>): number {
  return (scratch + 1) * MEBIBYTE;
}

/**
 * Compares everything that the job wrote with its scratch space.
 *
 * @param strays what it wrote outside its directory
 */
export async function checkScratch(
  limits: Limits,
  place: JobDirectory,
  strays: readonly Buffer[] = [],
): Promise<Stop | undefined> {
  const limit = limits.scratch * MEBIBYTE;
  const used = await diskUse([...writable(place), place.stdout, place.stderr, ...strays], limit);
  return used > limit ? stopFor('output', limits, `${Math.ceil(used / MEBIBYTE)} MiB`) : undefined;
}
