import { findCgroups } from '../../../src/runners/process/cgroup/tree.ts';
import {
  describeIsolation,
  findIsolation,
  PLAIN,
  type Isolation,
} from '../../../src/runners/process/start/isolation.ts';
import { DEFAULT_UIDS } from '../../../src/runners/process/start/job-users.ts';
import { asRoot } from '../workloads.ts';

const best = findIsolation(asRoot ? DEFAULT_UIDS.first : undefined);

/** The abilities of this machine; a test that needs more is skipped by name. */
export const hasBubblewrap = best.sandbox === 'bubblewrap';
export const cgroups = findCgroups();

const all: readonly Isolation[] = [
  best,
  { ...best, cgroups: undefined },
  { ...best, sandbox: 'none' },
  PLAIN,
];

type Row = readonly [name: string, isolation: Isolation];

/** Every possible isolation on this machine, with its name; the best first. */
export const isolations: readonly Row[] = [
  ...new Map(all.map((isolation) => [describeIsolation(isolation), isolation] as const)),
];

/**
 * Rows for `describe.each`, which takes no empty table: without rows the group is skipped and the
 * placeholder never runs.
 */
export function rowsOf(found: readonly Row[]): readonly Row[] {
  return found.length > 0 ? found : [['one that is not here', PLAIN]];
}
