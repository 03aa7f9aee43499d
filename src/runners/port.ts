import type { Content } from '../storage/content.ts';
import type { Task } from '../tasks/task.ts';
import type { Volume } from '../tasks/volumes.ts';
import type { JobId, NonEmpty } from '../words/ids.ts';
import type { RunId } from '../words/run-id.ts';
import type { Mebibytes, Millicores, Seconds } from '../words/units.ts';

/** The cores and memory of a job that others cannot take. */
export type Guaranteed = { readonly cores: Millicores; readonly memory: Mebibytes };

/** The most that a job may use: the offered amounts, which the engine enforces. */
export type Limits = {
  readonly cores: Millicores;
  readonly memory: Mebibytes;
  /** everything the job writes: working directory, volumes, stdout and stderr */
  readonly scratch: Mebibytes;
  /** a longer run is stopped */
  readonly wallTime: Seconds;
  /** absent: all of it */
  readonly guaranteed?: Guaranteed | undefined;
};

/** The guaranteed part of a job's limits. */
export function guaranteedOf({ cores, memory, guaranteed }: Limits): Guaranteed {
  return guaranteed ?? { cores, memory };
}

/**
 * The right to begin a run. Every executor takes a job under the next attempt. Only the executor
 * with the highest attempt has the job; the others may not know that yet.
 */
export type Claim = {
  readonly attempt: number;
  /**
   * Asked just before the engine can see the run.
   * @throws Error when the book cannot be asked
   */
  readonly isHeld: () => Promise<boolean>;
  /** Aborted once the job is to be stopped: copying its data may take hours. */
  readonly stopped?: AbortSignal | undefined;
};

/** The machines of a parallel job; where the engine needs equal ones, they are. */
export type Allocation = NonEmpty<Pick<Limits, 'cores' | 'memory'> & Pick<Workload, 'gpus'>>;

/**
 * One run as a runner gets it: a job, or one machine of a job that has several. A parallel job is
 * one run, too, whose limits are those of all its machines together.
 */
export type Workload = {
  readonly job: RunId;
  readonly claim: Claim;
  /** the engine that gets it, as its record names it ({@link JobRunner}) */
  readonly engine?: string | undefined;
  readonly task: Task;
  readonly limits: Limits;
  /** more variables for its environment; they replace the client's */
  readonly environment?: Readonly<Record<string, string>>;
  /** the name of the interpreter that was promised; absent: the first of the engine */
  readonly interpreter?: string | undefined;
  /**
   * the start that was offered, milliseconds of the epoch; an engine with a clock of
   * its own does not begin before it
   */
  readonly startsAt?: number | undefined;
  /** graphics processors of one type (a URI); none when absent */
  readonly gpus?: { readonly type: string; readonly count: number } | undefined;
  /** of a parallel job: its command starts once, and finds these machines */
  readonly allocation?: Allocation | undefined;
  readonly volumes: readonly Volume[];
  /** the contents of volumes before and after the run; none for scratch space */
  readonly contents: readonly Content[];
};

/** A file that the job left for its client, relative to the job's directory. */
export type JobResult = {
  readonly id: string;
  readonly path: string;
  readonly mimeType: string;
  readonly size: number;
};

/** Why somebody stopped a run. */
export type StopReason = 'cancelled' | 'wall-time' | 'cpu-time' | 'memory' | 'output';

/** What a run used, as far as its engine counts it. */
export type Usage = {
  /** seconds of processor time of all its processes */
  readonly processorS?: number;
  /** the most memory at a time, MiB */
  readonly memoryMib?: number;
};

/** How a run ended. The task or the engine failed, or we stopped it. */
export type Outcome = (
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
    }
) & {
  /** what it used, if the engine counts it */
  readonly usage?: Usage | undefined;
};

/** What an engine knows of a job. */
export type Observation =
  | { readonly state: 'absent' }
  /** the engine has it and has not started it yet */
  | { readonly state: 'queued' }
  | { readonly state: 'running' }
  /** the engine cannot say now; it will later, or the run ends as lost */
  | { readonly state: 'unknown' }
  | { readonly state: 'ended'; readonly outcome: Outcome };

/** The slot of one run that was accepted, before it begins; times are milliseconds of the epoch. */
export type RunSlot = {
  readonly job: RunId;
  readonly cores: Millicores;
  /** of how many machines these cores are */
  readonly machines: number;
  readonly startsAt: number;
  readonly endsAt: number;
};

/**
 * Reservations that an engine makes itself. Every method is idempotent, and throws when the engine
 * cannot be asked.
 */
export type Advance = {
  /** runs with a reservation */
  readonly list: () => Promise<readonly RunId[]>;
  /** @returns why the engine refused; undefined when it did not */
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

/** From where executors reach an engine's jobs. */
type Reach = 'host' | 'anywhere';

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
  /** The isolation of jobs that are processes of this machine: `bubblewrap + cgroup v2`. */
  readonly isolation?: string;
  /**
   * Fetches what the task names and starts it at most once, even when several executors try to and
   * some of them stand still meanwhile. A second call for the same job does nothing. Failures to
   * start are an `ended` observation, not an exception.
   *
   * @throws ClaimLost when somebody else has the job now: nothing was touched
   * @throws Error for which `isPassing` holds: nothing has begun, and it can be tried again later
   */
  submit(workload: Workload): Promise<void>;
  /** `absent` when the engine never heard of the job or lost it without a trace. */
  look(job: RunId): Promise<Observation>;
  /**
   * Stops the whole process tree and resolves once nothing of it runs. Leaves absent and ended jobs
   * alone.
   * @throws Error while the engine has not let go; the caller tries again
   */
  stop(job: RunId, reason: StopReason): Promise<void>;
  /** Stops the job and removes its files. */
  remove(job: RunId): Promise<void>;
  /** Stops following a job that somebody else has now, without touching it. */
  forget(job: RunId): Promise<void>;
  /**
   * Calls back soon after a job ended or left the engine's queue, so that nobody has to poll. It is
   * a hint: `look` has the truth.
   */
  onEnded(listener: (job: RunId) => void): void;
  /**
   * When the engine would start such a job if it were submitted now, milliseconds of the epoch;
   * nothing is submitted. Undefined: never. Absent where the engine has no queue of its own.
   * @throws Error when it cannot be asked
   */
  readonly predict?: (shape: JobShape) => Promise<number | undefined>;
  /** Absent where the engine makes no reservations, or the site does not want them. */
  readonly advance?: Advance;
  /**
   * Checks that the engine answers. Absent where the engine is this machine.
   * @throws Error when it does not
   */
  readonly probe?: () => Promise<unknown>;
  /** Stops following all jobs, without stopping them. */
  close(): Promise<void>;
};

/**
 * One machine of a job, or all machines of a parallel one: its limits, and what the task finds
 * there.
 */
export type Machine = Pick<
  Workload,
  'limits' | 'environment' | 'gpus' | 'allocation' | 'volumes' | 'contents'
>;

/** A job as an executor gives it to an engine: its task runs once on each of its machines. */
export type Assignment = Pick<Workload, 'claim' | 'task' | 'interpreter' | 'startsAt'> & {
  readonly job: JobId;
  readonly machines: NonEmpty<Machine>;
};

/** The most machines of one job: each is a run of its own, with its directory and its logs. */
export const MOST_MACHINES = 100;

/** A runner of jobs with one or several machines; the promises of {@link Runner} hold for it. */
export type JobRunner = Omit<
  Runner,
  'submit' | 'look' | 'stop' | 'remove' | 'forget' | 'onEnded'
> & {
  /** tells engines with runners of one name apart; absent: nobody needs to */
  readonly engine?: string | undefined;
  submit(assignment: Assignment): Promise<void>;
  look(job: JobId): Promise<Observation>;
  stop(job: JobId, reason: StopReason): Promise<void>;
  remove(job: JobId): Promise<void>;
  forget(job: JobId): Promise<void>;
  onEnded(listener: (job: JobId) => void): void;
};
