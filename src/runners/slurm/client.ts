import type { BatchAmount, BatchRequest } from '../batch/system.ts';

/** A job as Slurm lists it. */
export type SlurmJob = {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
};

/**
 * One cluster. Every call is bounded in time.
 *
 * @throws BatchRefusal or BatchUnreachable, all of them
 */
export type SlurmClient = {
  /** @returns its id in Slurm. Not idempotent. */
  readonly submit: (request: BatchRequest) => Promise<number>;
  /**
   * Checks that Slurm answers, accepts our user, and has the partition. The answer does not grow
   * with the number of jobs.
   */
  readonly probe: () => Promise<void>;
  /** All of our jobs that Slurm still knows, including those that ended lately, in one question. */
  readonly jobs: () => Promise<readonly SlurmJob[]>;
  /**
   * When Slurm would start such a job if it were submitted now, milliseconds of the epoch; nothing
   * is submitted. Undefined when this client cannot find out.
   */
  readonly predict: (amount: BatchAmount) => Promise<number | undefined>;
  /**
   * The accounting's record of a job that Slurm has forgotten; undefined when there is none. Absent:
   * this client cannot find out.
   */
  readonly recall?: (id: number) => Promise<SlurmJob | undefined>;
  /**
   * Cancels a job; `now` sends SIGKILL to everything that is left of it. A job that is over is no
   * error.
   */
  readonly cancel: (id: number, how: 'politely' | 'now') => Promise<void>;
};
