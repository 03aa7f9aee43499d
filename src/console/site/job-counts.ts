import type { Documents } from '../contract.ts';
import { PHASE_GROUPS, type PhaseGroup } from '../jobs/list-filter.ts';

/** How many jobs an owner has, in words of the job list's filter. */
export type OwnerCounts = {
  readonly owner: string;
  /** undefined: clients without a name */
  readonly user: string | undefined;
  readonly counts: Readonly<Record<PhaseGroup, number>>;
  readonly all: number;
};

/** The groups of phases in the order of the filter. */
export const GROUPS = ['running', 'waiting', 'done', 'failed', 'aborted', 'archived'] as const;

/** Jobs by owner and phase, those with most jobs first. */
export function countsByOwner(lines: Documents['Overview']['jobs']): readonly OwnerCounts[] {
  const owners = Map.groupBy(lines, ({ owner }) => owner);
  return [...owners]
    .map(([owner, own]) => ({
      owner,
      user: own[0]?.user,
      counts: {
        running: sumOf(own, 'running'),
        waiting: sumOf(own, 'waiting'),
        done: sumOf(own, 'done'),
        failed: sumOf(own, 'failed'),
        aborted: sumOf(own, 'aborted'),
        archived: sumOf(own, 'archived'),
      },
      all: own.reduce((sum, { jobs }) => sum + jobs, 0),
    }))
    .toSorted((a, b) => b.all - a.all);
}

function sumOf(own: Documents['Overview']['jobs'], group: PhaseGroup): number {
  const phases: readonly string[] = PHASE_GROUPS[group];
  return own.reduce((sum, { phase, jobs }) => sum + (phases.includes(phase) ? jobs : 0), 0);
}
