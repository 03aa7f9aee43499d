import type { BatchSystem } from '../batch/system.ts';
import type { JobShape, Runner, Workload } from '../port.ts';
import type { Device } from '../process/settings.ts';

/** What jobs of a batch system have, beside what the system itself is. */
export type BatchTerms = {
  /** the user that jobs run as; a service that is root needs one */
  readonly user?: string | undefined;
  /** absolute path of an interpreter on the nodes, for Python programs */
  readonly python?: string | undefined;
  /** absolute path of an interpreter on the nodes that has Jupyter, for notebooks */
  readonly jupyter?: string | undefined;
  /** seconds that a job may wait in the queue; an hour when absent */
  readonly longestWait?: number | undefined;
  /** seconds without an answer after which its jobs are lost; an hour when absent */
  readonly unreachableLimit?: number | undefined;
  /** a job's devices in the words of the system, which `submit` reads as `gres`; absent: it has none */
  readonly gresOf?: ((gpus: NonNullable<JobShape['gpus']>) => string) | undefined;
};

/** What processes of this machine have. */
export type LocalTerms = {
  /** absolute path of an interpreter, for Python programs */
  readonly python?: string | undefined;
  /** absolute paths that jobs may read besides the system */
  readonly paths?: readonly string[] | undefined;
  /** devices that are handed out, by the URI of their type */
  readonly gpus?: Readonly<Record<string, readonly Device[]>> | undefined;
  /** words before the command of a job: a program that jobs see, and its arguments */
  readonly before: (workload: Workload) => readonly string[];
};

/** A command of an engine. */
export type ToolCall = {
  readonly program: string;
  readonly words: readonly string[];
  /** all that its environment has, besides PATH, LANG and TZ=UTC */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** whose command it is, where the service is root; the service's own when absent */
  readonly user?: string | undefined;
  /** what it prints when it reaches nobody; everything else that fails is a refusal */
  readonly nobody: RegExp;
};

/** What the service gives every engine of a plug-in, so that none of it is written again. */
export type RunnerTools = {
  /** the directory of all jobs, absolute; each has its own folder in it */
  readonly jobsRoot: string;
  /**
   * The absolute path of the interpreter that a job was promised; undefined where the destination
   * names no `environments`, and for tasks that are none of Python. It may be made now, below
   * `jobsRoot`. Both runners below use it instead of their `python` and `jupyter`.
   * @throws Error that says why the job fails, for example because the site gave it up meanwhile
   */
  readonly pythonOf: (workload: Workload) => Promise<string | undefined>;
  /**
   * A whole runner from what differs between batch systems. It has the directories of jobs, the
   * script that starts a job once and holds its limits, the lease of the executor, logs, results,
   * contents of volumes, and jobs that others continue after a kill.
   */
  readonly batchRunner: (system: BatchSystem, terms: BatchTerms) => Runner;
  /** A whole runner of processes of this machine, in its sandbox, with words before their command. */
  readonly localRunner: (terms: LocalTerms) => Runner;
  /**
   * Runs a command, at most 10 s.
   * @throws the errors of `refusal` and `unreachable`
   */
  readonly run: (call: ToolCall) => Promise<{ readonly stdout: string; readonly stderr: string }>;
  /** The error for "no": the job fails with this text. */
  readonly refusal: (text: string) => Error;
  /** The error for "no answer": the call is made again later. */
  readonly unreachable: (text: string) => Error;
};
