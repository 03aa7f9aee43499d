import type { Content } from '../storage/content.ts';
import type { Task } from '../tasks/task.ts';
import type { Volume } from '../tasks/volumes.ts';
import type { JobId, NonEmpty } from '../words/ids.ts';
import type { RunId } from '../words/run-id.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';

/** What of its cores and memory is a job's own, whatever others do. */
export type Guaranteed = { readonly cores: Millicores; readonly memory: Mebibytes };

/**
 * What a job may use at most; the offered amounts, which the engine is told and which are enforced.
 */
export type Limits = {
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  /** everything the job writes: working directory, volumes, stdout and stderr */
  readonly scratch: Mebibytes;
  /** wall time; a run that is longer is stopped */
  readonly wallTime: Seconds;
  /** absent: all of it */
  readonly guaranteed?: Guaranteed | undefined;
};

/** What is the job's own of its limits. */
export function guaranteedOf({ cores, memory, guaranteed }: Limits): Guaranteed {
  return guaranteed ?? { cores, memory };
}

/**
 * The right to begin a run. Whoever is given a job takes it under the next attempt, and of all that
 * ever had it only the one with the highest has it still; the others may not know that yet.
 */
export type Claim = {
  readonly attempt: number;
  /**
   * Asked right before the run is made visible to the engine.
   * @throws Error when the book cannot be asked
   */
  readonly isHeld: () => Promise<boolean>;
};

/** One run as a runner gets it: a job, or one machine of a job that has several. */
export type Workload = {
  readonly job: RunId;
  readonly claim: Claim;
  readonly task: Task;
  readonly limits: Limits;
  /**
   * what it finds in its environment beside what every run does; the
   * client's variables give way to it
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * the start that was offered, milliseconds of the epoch; an engine with a clock of
   * its own does not begin before it
   */
  readonly startsAt?: number | undefined;
  /** so many graphics processors of one type (a URI); none when absent */
  readonly gpus?: { readonly type: string; readonly count: number } | undefined;
  readonly volumes: readonly Volume[];
  /** what some of the volumes hold before the run, and keep after it; none for scratch space */
  readonly contents: readonly Content[];
};

/** A file that the job left for its client, relative to the job's directory. */
export type JobResult = {
  readonly id: string;
  readonly path: string;
  readonly mimeType: string;
  readonly size: number;
};

/** Why a run was stopped from outside. */
export type StopReason = 'cancelled' | 'wall-time' | 'cpu-time' | 'memory' | 'output';

/** How a run ended. `failed` is the task's or the engine's doing, `stopped` ours. */
export type Outcome =
  | { readonly kind: 'completed'; readonly results: readonly JobResult[] }
  | {
      readonly kind: 'failed';
      readonly results: readonly JobResult[];
      /**
       * code of the catalogue in src/words/catalogue.ts, for example `task-failed`, `fetch-refused`
       */
      readonly code: string;
      /** one line for errorSummary */
      readonly message: string;
      /** for the error document: traceback, end of stderr */
      readonly detail: string;
      /** true when trying again may help (UWS errorSummary type="transient") */
      readonly transient: boolean;
    }
  | {
      readonly kind: 'stopped';
      readonly reason: StopReason;
      readonly message: string;
      readonly results: readonly JobResult[];
    };

/** What an engine knows of a job. */
export type Observation =
  | { readonly state: 'absent' }
  /** the engine has it and has not started it yet */
  | { readonly state: 'queued' }
  | { readonly state: 'running' }
  /** the engine cannot say for the time being; it will, or the run ends as lost */
  | { readonly state: 'unknown' }
  | { readonly state: 'ended'; readonly outcome: Outcome };

/**
 * What was accepted of an engine for one run, before it begins; times
 * are milliseconds of the epoch.
 */
export type RunSlot = {
  readonly job: RunId;
  readonly cores: Millicores;
  readonly startsAt: number;
  readonly endsAt: number;
};

/**
 * Reservations that an engine makes itself. All of it is idempotent, and throws
 * when the engine cannot be asked.
 */
export type Advance = {
  /** the runs that something is reserved for */
  readonly list: () => Promise<readonly RunId[]>;
  /** @returns why the engine would not; undefined when it did */
  readonly make: (slot: RunSlot) => Promise<string | undefined>;
  readonly drop: (job: RunId) => Promise<void>;
};

/** A job that an engine is asked about before there is one. */
export type JobShape = {
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  readonly duration: Seconds;
  readonly gpus: { readonly type: string; readonly count: number } | undefined;
};

/** From where an engine's jobs are reached. */
export type Reach = 'host' | 'anywhere';

/**
 * The port to one execution engine. Every method is idempotent by job id, and every answer comes
 * from what the engine (or the job's directory) says, never from this process's memory alone: after
 * `kill -9` of the executor a new one asks the same questions and goes on.
 */
export type Runner = {
  readonly name: string;
  /**
   * Who can ask the engine for a job: executors of the host that began it, or all that share the
   * directory of jobs. When one of them dies, another one goes on with the job.
   */
  readonly reach: Reach;
  /** What holds its jobs, where they are processes of this machine: `bubblewrap + cgroup v2`. */
  readonly isolation?: string;
  /**
   * Fetches what the task names and starts it: at most once, however many executors try to, and
   * whenever each of them stands still meanwhile. A second call for the same job does nothing.
   * Failures to start are an `ended` observation, not an exception.
   *
   * @throws ClaimLost when somebody else has the job now: nothing of it was touched
   * @throws Error for which `isPassing` holds: nothing has begun, and it can be tried again later
   */
  submit(workload: Workload): Promise<void>;
  /** `absent` when the engine never heard of the job or lost it without a trace. */
  look(job: RunId): Promise<Observation>;
  /**
   * Stops the whole process tree and resolves once nothing of it runs. Absent and
   * ended jobs are left as they are.
   * @throws Error while
   * the engine has not let go: it is called again
   */
  stop(job: RunId, reason: StopReason): Promise<void>;
  /** Removes the job's files; stops it first. */
  remove(job: RunId): Promise<void>;
  /**
   * Somebody else has the job now: it is not looked after here any more,
   * and nothing of it is touched.
   */
  forget(job: RunId): Promise<void>;
  /**
   * Calls back soon after a job of this process ended, or left the engine's queue, so that nobody
   * has to poll; `look` stays the truth.
   */
  onEnded(listener: (job: RunId) => void): void;
  /**
   * When the engine would start such a job that was submitted now, milliseconds of the
   * epoch; nothing is submitted. Undefined when it would never. Absent where the
   * engine has no queue of its own.
   * @throws Error when it cannot be asked
   */
  readonly predict?: (shape: JobShape) => Promise<number | undefined>;
  /** Absent where the engine has none, or the site does not want them. */
  readonly advance?: Advance;
  /**
   * Asks the engine for anything, to see that it answers. Absent where it is this machine.
   * @throws Error when it does not
   */
  readonly probe?: () => Promise<unknown>;
  /** Lets go of all jobs without stopping them. */
  close(): Promise<void>;
};

/** One machine of a job: how much of it the task has, and what it finds there. */
export type Machine = Pick<Workload, 'limits' | 'environment' | 'gpus' | 'volumes' | 'contents'>;

/** A job as an executor gives it to an engine: its task runs once on each of its machines. */
export type Assignment = Pick<Workload, 'claim' | 'task' | 'startsAt'> & {
  readonly job: JobId;
  readonly machines: NonEmpty<Machine>;
};

/**
 * More machines of one job are refused: each is a run of its own, with its directory and its logs.
 */
export const MOST_MACHINES = 100;

/**
 * A runner that knows jobs, whether they have one machine or several; the promises
 * of {@link Runner} hold for it.
 */
export type JobRunner = Omit<
  Runner,
  'submit' | 'look' | 'stop' | 'remove' | 'forget' | 'onEnded'
> & {
  submit(assignment: Assignment): Promise<void>;
  look(job: JobId): Promise<Observation>;
  stop(job: JobId, reason: StopReason): Promise<void>;
  remove(job: JobId): Promise<void>;
  forget(job: JobId): Promise<void>;
  onEnded(listener: (job: JobId) => void): void;
};
