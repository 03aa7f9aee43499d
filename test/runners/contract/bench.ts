import { afterAll, beforeAll } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import type { ExecutableTask, Task } from '../../../src/tasks/task.ts';
import { shell, stopPatiently, workload } from '../workloads.ts';

/** A runner under test. */
export type Subject = {
  readonly jobsRoot: string;
  /** Opens the runner like a new executor; several at the same time act as several executors. */
  readonly open: () => Runner;
  /** Does any part of this job still run? Checked without the runner. */
  readonly isAlive: (job: string) => Promise<boolean>;
  /**
   * Turns a command into an engine's own task. The command has /bin/sh and the tools of busybox.
   */
  readonly taskOf?: (task: ExecutableTask) => Task;
  readonly close: () => Promise<void>;
};

/** Limits and timing of an engine. */
export type Traits = {
  /**
   * Seconds within which short jobs begin and end, even on a busy machine. It is less than the 300
   * s for which stopped jobs sleep.
   */
  readonly patience?: number;
  /** seconds by which the end at the wall time may be late */
  readonly lateS?: number;
  /** cores of its nodes for one job */
  readonly cores?: number;
  /** Its `stop` may fail because the engine still holds the job; the test then calls it again. */
  readonly letsGoLate?: boolean;
};

/** A runner under test during the tests of a block, with its jobs. */
export type ContractBench = Required<Pick<Traits, 'patience' | 'lateS' | 'cores'>> & {
  readonly subject: Subject;
  /** The runner of the first executor. */
  readonly runner: Runner;
  /** The runner of another executor, which is closed after the tests. */
  readonly openRunner: () => Runner;
  readonly script: (text: string, asked?: Parameters<typeof shell>[1]) => Workload;
  readonly argv: (
    command: ExecutableTask['command'],
    environment?: Record<string, string>,
  ) => Workload;
  /** The text of a result. */
  readonly textOf: (work: Workload, id: string, outcome: Outcome) => string;
  /** Stops a job as its owner does. */
  readonly stopped: (work: Workload) => Promise<void>;
  /** Timeout of a test in milliseconds. */
  readonly limit: number;
};

/** Opens a runner before the tests of this block, and closes it after them. */
export function openContractBench(
  open: () => Promise<Subject>,
  { patience = 240, lateS = 5, cores = 2.5, letsGoLate = false }: Traits,
): ContractBench {
  let subject: Subject;
  let runner: Runner;
  const runners: Runner[] = [];
  const openRunner = (): Runner => {
    const opened = subject.open();
    runners.push(opened);
    return opened;
  };
  beforeAll(async () => {
    subject = await open();
    runner = openRunner();
  });
  afterAll(async () => {
    for (const one of runners) await one.close();
    await subject?.close();
  });

  const own = (work: Workload): Workload => ({
    ...work,
    task:
      work.task.type === 'executable' && subject.taskOf !== undefined
        ? subject.taskOf(work.task)
        : work.task,
  });
  return {
    patience,
    lateS,
    cores,
    limit: (patience + lateS) * 4000,
    get subject() {
      return subject;
    },
    get runner() {
      return runner;
    },
    openRunner,
    script: (text, asked = {}) => own(shell(text, asked)),
    argv: (command, environment = {}) =>
      own(workload({ type: 'executable', command, environment })),
    textOf: (work, id, outcome) => {
      const result = outcome.results.find((one) => one.id === id);
      return result === undefined
        ? `no result ${id}`
        : readFileSync(join(subject.jobsRoot, work.job, result.path), 'utf8');
    },
    stopped: (work) => stopPatiently(runner, work.job, letsGoLate ? patience * 1000 : 0),
  };
}
