/** The amounts of a job. */
export type SlurmAmount = {
  readonly minutes: number;
  readonly cpus: number;
  /** MiB */
  readonly memory: number;
  /** `gpu:2`, for example */
  readonly gres: string | undefined;
};

/**
 * The request for a job. It contains no text of the client, which stays in files that the script
 * reads.
 */
export type SlurmRequest = SlurmAmount & {
  /**
   * unique among the user's jobs: the job is found by it when the answer to its submission was lost
   */
  readonly name: string;
  /** of /bin/sh */
  readonly script: string;
  readonly directory: string;
  /** name of the reservation for this job; undefined: there is none */
  readonly reservation: string | undefined;
  /** not before, seconds of the epoch; undefined: at once */
  readonly begin: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

/** A job as Slurm lists it. */
export type SlurmJob = {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
};

/** Slurm answered no. */
export class SlurmRefusal extends Error {
  override readonly name = 'SlurmRefusal';
}

/** There was no answer in time, or the answer says that the controller is not there. */
export class SlurmUnreachable extends Error {
  override readonly name = 'SlurmUnreachable';
}

/**
 * One cluster. Every call is bounded in time.
 *
 * @throws SlurmRefusal or SlurmUnreachable, all of them
 */
export type SlurmClient = {
  /** @returns its id in Slurm. Not idempotent. */
  readonly submit: (request: SlurmRequest) => Promise<number>;
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
  readonly predict: (amount: SlurmAmount) => Promise<number | undefined>;
  /** The accounting's record of a job that Slurm has forgotten; undefined when there is none. */
  readonly recall: (id: number) => Promise<SlurmJob | undefined>;
  /**
   * Cancels a job; `now` sends SIGKILL to everything that is left of it. A job that is over is no
   * error.
   */
  readonly cancel: (id: number, how: 'politely' | 'now') => Promise<void>;
};
