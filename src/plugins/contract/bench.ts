import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Runner, Workload } from '../../runners/port.ts';
import type { ExecutableTask, Task } from '../../tasks/task.ts';
import { patiently, shell, workload } from './workloads.ts';

/** A runner under test. */
export type Subject = {
  readonly jobsRoot: string;
  /** Opens the runner like a new executor; several at the same time act as several executors. */
  readonly open: () => Runner | Promise<Runner>;
  /** Does any part of this job still run? Checked without the runner. */
  readonly isAlive: (job: string) => Promise<boolean>;
  /**
   * Turns a command into an engine's own task. The command has /bin/sh and the tools of busybox.
   */
  readonly taskOf?: (task: ExecutableTask) => Task;
  readonly close: () => Promise<void>;
};

/** Limits and timing of an engine. */
export type EngineTraits = {
  /**
   * Seconds within which short jobs begin and end, even on a busy machine. It is less than the 300
   * s for which stopped jobs sleep.
   */
  readonly patience?: number;
  /** seconds by which the end at the wall time may be late */
  readonly lateS?: number;
  /** cores of its nodes for one job */
  readonly cores?: number;
  /**
   * Its `stop` and `remove` may fail because the engine still holds the job; the test then calls
   * them again.
   */
  readonly letsGoLate?: boolean;
};

/** A runner under test during the tests of a block, with its jobs. */
export type ContractBench = Required<Pick<EngineTraits, 'patience' | 'lateS' | 'cores'>> & {
  readonly subject: Subject;
  /** The runner of the first executor. */
  readonly runner: Runner;
  /** The runner of another executor, which is closed after the tests. */
  readonly openRunner: () => Promise<Runner>;
  readonly script: (text: string, asked?: Parameters<typeof shell>[1]) => Workload;
  readonly argv: (
    command: ExecutableTask['command'],
    environment?: Record<string, string>,
  ) => Workload;
  /** The text of a result. */
  readonly textOf: (work: Workload, id: string, outcome: Outcome) => string;
  /** Stops a job as its owner does. */
  readonly stopped: (work: Workload) => Promise<void>;
  /** Removes a job as its owner does. */
  readonly removed: (work: Workload) => Promise<void>;
  /** Timeout of a test in milliseconds. */
  readonly limit: number;
  /** Starts the engine; once, however often it is called. */
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The size of a result; undefined without it. */
export function sizeOf({ results }: Outcome, id: string): number | undefined {
  return results.find((one) => one.id === id)?.size;
}

/** A bench whose engine starts with the first promise. */
export function openContractBench(
  open: () => Promise<Subject>,
  { patience = 240, lateS = 5, cores = 2.5, letsGoLate = false }: EngineTraits,
): ContractBench {
  let subject: Subject | undefined;
  let runner: Runner | undefined;
  let started: Promise<void> | undefined;
  const runners: Runner[] = [];
  const openRunner = async (): Promise<Runner> => {
    const opened = await there(subject).open();
    runners.push(opened);
    return opened;
  };
  const begin = async (): Promise<void> => {
    subject = await open();
    runner = await openRunner();
  };

  const own = (work: Workload): Workload => ({
    ...work,
    task: work.task.type === 'executable' ? (subject?.taskOf?.(work.task) ?? work.task) : work.task,
  });
  const longest = letsGoLate ? patience * 1000 : 0;
  return {
    patience,
    lateS,
    cores,
    limit: (patience + lateS) * 4000,
    start: () => {
      started ??= begin();
      return started;
    },
    close: async () => {
      for (const one of runners) await one.close();
      await subject?.close();
    },
    get subject() {
      return there(subject);
    },
    get runner() {
      return there(runner);
    },
    openRunner,
    script: (text, asked = {}) => own(shell(text, asked)),
    argv: (command, environment = {}) =>
      own(workload({ type: 'executable', command, environment })),
    textOf: (work, id, outcome) => {
      const result = outcome.results.find((one) => one.id === id);
      return result === undefined
        ? `no result ${id}`
        : readFileSync(join(there(subject).jobsRoot, work.job, result.path), 'utf8');
    },
    stopped: ({ job }) => patiently(() => there(runner).stop(job, 'cancelled'), longest),
    removed: ({ job }) => patiently(() => there(runner).remove(job), longest),
  };
}

function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the engine has not started');
  return value;
}
