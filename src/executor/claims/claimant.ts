import type { ReachableJobs } from '../reachable-jobs.ts';

/**
 * The name of this executor in the book, and how long it counts as alive without a sign of life.
 */
export type Claimant = {
  readonly executor: string;
  readonly home: ReachableJobs;
  readonly leaseSeconds: number;
  /**
   * the book gives up a job of another home this long after its lease when no executor of that home
   * came back; 5 minutes when absent
   */
  readonly graceSeconds?: number;
};
