/** What a job takes of a cluster. */
export type SlurmAmount = {
  readonly minutes: number;
  readonly cpus: number;
  /** MiB */
  readonly memory: number;
  /** `gpu:2`, for example */
  readonly gres: string | undefined;
};

/**
 * A job as Slurm is told of it. Nothing here is text of a client: what he asked for is
 * in files that the script reads.
 */
export type SlurmRequest = SlurmAmount & {
  /**
   * unique among the user's jobs: the job is found by it when the answer to its submission was lost
   */
  readonly name: string;
  /** of /bin/sh */
  readonly script: string;
  readonly directory: string;
  /** of cores that Slurm keeps free for this job; undefined: none was made for it */
  readonly reservation: string | undefined;
  /** not before, seconds of the epoch; undefined: at once */
  readonly begin: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

/** A job as Slurm tells of it. */
export type SlurmJob = {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly reason: string;
};

/** Slurm answered, and it was no. */
export class SlurmRefusal extends Error {
  override readonly name = 'SlurmRefusal';
}

/**
 * No answer within the time that one call has, or one that says that the controller is not there.
 */
export class SlurmUnreachable extends Error {
  override readonly name = 'SlurmUnreachable';
}

/**
 * The way to one cluster. Every call is bounded in time.
 *
 * @throws SlurmRefusal or SlurmUnreachable, all of them
 */
export type SlurmClient = {
  /** @returns its id in Slurm. Not idempotent. */
  readonly submit: (request: SlurmRequest) => Promise<number>;
  /**
   * Sees that Slurm answers, takes us for whom it knows, and has the partition; its answer is as
   * short with any number of jobs.
   */
  readonly probe: () => Promise<void>;
  /** All jobs of ours that Slurm still knows, in one question, those that ended lately included. */
  readonly jobs: () => Promise<readonly SlurmJob[]>;
  /**
   * When Slurm would start such a job that was submitted now, milliseconds of the epoch; nothing is
   * submitted. Undefined when this way to Slurm cannot tell.
   */
  readonly predict: (amount: SlurmAmount) => Promise<number | undefined>;
  /**
   * What the cluster's accounting keeps of a job that Slurm itself has forgotten; undefined when it
   * keeps nothing, or the site has none.
   */
  readonly recall: (id: number) => Promise<SlurmJob | undefined>;
  /** Cancels a job; `now` sends SIGKILL to whatever of it is left. One that is over is no error. */
  readonly cancel: (id: number, how: 'politely' | 'now') => Promise<void>;
};
