import type { JobErrorCode } from '../../words/catalogue.ts';
import type { JobDirectory } from '../run/directory.ts';

/** The amounts of a job, rounded up to what batch systems count in. */
export type BatchAmount = {
  readonly minutes: number;
  /** machines of a parallel job, each with these amounts; undefined: one, and no parallel job */
  readonly nodes?: number | undefined;
  readonly cpus: number;
  /** MiB */
  readonly memory: number;
  /** its devices, in the words of the system: `gpu:2`; undefined: none */
  readonly gres: string | undefined;
};

/**
 * The request for a job. It contains no text of the client, which stays in files that the script
 * reads.
 */
export type BatchRequest = BatchAmount & {
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
  /** files that are there and are appended to */
  readonly stdout: string;
  readonly stderr: string;
  /** the name of the jobs that this one hands to the system itself; undefined: it hands it none */
  readonly steps: string | undefined;
};

/** What a state means. `lost`: trying again may help; `broken`: the system failed. */
export type BatchPhase =
  | 'queued'
  | 'running'
  | 'over'
  | 'memory'
  | 'wall-time'
  | 'cancelled'
  | 'lost'
  | 'broken';

/** Has a job not ended yet? */
export function isUnended(phase: BatchPhase): phase is 'queued' | 'running' {
  return phase === 'queued' || phase === 'running';
}

/** A job as a batch system lists it. */
export type BatchJob = {
  readonly id: number;
  readonly name: string;
  readonly phase: BatchPhase;
  /** the system's own word for it, for messages */
  readonly state: string;
  readonly reason: string;
};

/** Why a job failed, for its error document. */
export type FailedEnd = {
  readonly code: JobErrorCode;
  readonly message: string;
  readonly transient: boolean;
};

/** The batch system answered no. */
export class BatchRefusal extends Error {
  override readonly name = 'BatchRefusal';
}

/** There was no answer in time, or the answer says that the batch system is not there. */
export class BatchUnreachable extends Error {
  override readonly name = 'BatchUnreachable';
}

/**
 * One batch system: what differs between Slurm, Grid Engine, PBS and the like. Every call is bounded
 * in time.
 *
 * @throws BatchRefusal or BatchUnreachable, all of them
 */
export type BatchSystem = {
  /** of the runner, and of its files in a job's directory */
  readonly name: string;
  /** for messages: `Slurm` */
  readonly title: string;
  /**
   * where the system is and as whom it is asked; a job keeps it, because a system of other settings
   * does not list it. Absent: settings do not change that.
   */
  readonly reached?: string;
  /** the variable with the job's number that the system sets in its environment */
  readonly idVariable: string;
  /** variables of the system that jobs see, for example because they name its processors */
  readonly given: readonly string[];
  /** @returns its number. Not idempotent. */
  readonly submit: (request: BatchRequest) => Promise<number>;
  /** All of our jobs that are known, including those that ended lately, in one question. */
  readonly jobs: () => Promise<readonly BatchJob[]>;
  /**
   * The record of a job that is no longer listed, or is listed as over and left no exit status;
   * undefined: there is none yet. Absent: there are no records.
   */
  readonly recall?: (id: number) => Promise<BatchJob | undefined>;
  /**
   * Cancels a job; `now` sends SIGKILL to everything that is left of it. A job that is over is no
   * error.
   */
  readonly cancel: (id: number, how: 'politely' | 'now') => Promise<void>;
  /** Checks that the system answers. The answer does not grow with the number of jobs. */
  readonly probe: () => Promise<void>;
  /** Absent: it has no jobs on several nodes. */
  readonly parallel?: {
    /** words of sh that print the nodes of the job, one a line */
    readonly hosts: string;
    /** variables by which MPI knows the job and its nodes */
    readonly given: readonly string[];
    /**
     * What counts the job's processes on every node: the variable by which the system's launcher runs
     * an executable file wherever a process that it started has ended, and the file's text.
     */
    readonly report: { readonly variable: string; readonly script: (file: string) => string };
  };
  /** Says more of the end of a job with this exit status. */
  readonly explain?: (place: JobDirectory, exit: number) => Promise<FailedEnd | undefined>;
};
