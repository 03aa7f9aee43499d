import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { jobRunner } from '../../src/runners/machines/runner.ts';
import { writeMachineList } from '../../src/runners/machines/machine-list.ts';
import type { Assignment, JobRunner, Machine, Outcome, Runner } from '../../src/runners/port.ts';
import { processRunner } from '../../src/runners/process-runner.ts';
import type { JobId } from '../../src/words/ids.ts';
import { jobOfRun, machineRunId } from '../../src/words/run-id.ts';
import {
  ended,
  HELD,
  newJob,
  removeRoot,
  runJob,
  shell,
  temporaryRoot,
  until,
} from './workloads.ts';

const NO_URLS = { allowHosts: [], fileRoots: [] };

/** A task of /bin/sh on several machines, which get their numbers as from an executor. */
function onMachines(script: string, count: number, more: Partial<Machine> = {}): Assignment {
  const { task, limits, volumes, contents } = shell(script);
  const machine = (index: number): Machine => ({
    limits,
    volumes,
    contents,
    environment: { MACHINE_INDEX: String(index), MACHINE_COUNT: String(count) },
    ...more,
  });
  return {
    job: newJob(),
    claim: HELD,
    task,
    machines: [machine(0), ...Array.from({ length: count - 1 }, (_, index) => machine(index + 1))],
  };
}

describe('a job of several machines', () => {
  const root = temporaryRoot();
  let engine: Runner;
  let runner: JobRunner;
  beforeAll(() => {
    engine = processRunner({ jobsRoot: root, urls: NO_URLS });
    runner = jobRunner(engine, root);
  });
  afterAll(async () => {
    await runner.close();
    removeRoot(root);
  });

  const textOf = (job: JobId, outcome: Outcome, id: string): string =>
    readFileSync(
      join(root, job, outcome.results.find((result) => result.id === id)?.path ?? 'nothing'),
      'utf8',
    );
  /** Does a process have this word in its command line? */
  const isRunning = (word: string): boolean =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .some((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
        } catch {
          return false;
        }
      });

  test('runs its task once on each, with directories of their own, and has the results of all', async () => {
    const assignment = onMachines('echo "$MACHINE_INDEX of $MACHINE_COUNT"; echo $$ > mine; ls', 3);
    const outcome = await runJob(runner, assignment);
    expect(outcome.kind).toBe('completed');
    expect(outcome.results.map(({ id }) => id).sort()).toEqual(
      [0, 1, 2].flatMap((machine) =>
        ['mine', 'stderr', 'stdout'].map((id) => `machine-${machine}.${id}`),
      ),
    );
    for (const machine of [0, 1, 2])
      expect(textOf(assignment.job, outcome, `machine-${machine}.stdout`)).toBe(
        `${machine} of 3\nmine\n`,
      );
    await runner.remove(assignment.job);
    expect(existsSync(join(root, assignment.job))).toBe(false);
  });

  test('stops the others when one of them fails, and says which', async () => {
    const word = randomUUID();
    const assignment = onMachines(
      `[ $MACHINE_INDEX = 1 ] && exit 3; exec sh -c 'sleep 60; : ${word}'`,
      3,
    );
    const outcome = await runJob(runner, assignment);
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'task-failed',
      message: 'machine-1: the task ended with exit code 3',
    });
    expect(outcome.results.map(({ id }) => id)).toContain('machine-2.stdout');
    expect(isRunning(word)).toBe(false);
    await runner.remove(assignment.job);
  });

  test('is stopped as a whole, and its outcome says so', async () => {
    const word = randomUUID();
    const assignment = onMachines(`exec sh -c 'echo up; sleep 60; : ${word}'`, 2);
    await runner.submit(assignment);
    await until(
      () =>
        [0, 1].every(
          (machine) =>
            readFileSync(join(root, assignment.job, `machine-${machine}/stdout`), 'utf8') ===
            'up\n',
        ),
      'both run',
    );
    expect((await runner.look(assignment.job)).state).toBe('running');
    await runner.stop(assignment.job, 'cancelled');
    expect(await ended(runner, assignment.job)).toMatchObject({
      kind: 'stopped',
      reason: 'cancelled',
      message: 'stopped on request',
    });
    expect(isRunning(word)).toBe(false);
    await runner.stop(assignment.job, 'cancelled');
    await runner.remove(assignment.job);
  });

  test('ends like a single machine that was stopped at its limit', async () => {
    const { limits } = shell('');
    const assignment = onMachines('exec sleep 60', 2, {
      limits: { ...limits, wallTime: shell('', { wallTime: 1 }).limits.wallTime },
    });
    expect(await runJob(runner, assignment)).toMatchObject({
      kind: 'stopped',
      reason: 'wall-time',
      message: expect.stringMatching(/^machine-[01]: stopped after 1 s/),
    });
    await runner.remove(assignment.job);
  });

  test('starts once on each machine, however often it is submitted and whoever is killed meanwhile', async () => {
    const assignment = onMachines('echo once >> count', 3);
    const {
      job,
      task,
      machines: [first],
    } = assignment;
    // The remains of an executor that was killed after it had given the first machine to the
    // engine.
    await writeMachineList(root, job, 3);
    await engine.submit({ job: machineRunId(job, 0), claim: HELD, task, ...first });
    expect(await runner.look(job)).toEqual({ state: 'absent' });
    await Promise.all([runner.submit(assignment), runner.submit(assignment)]);
    const outcome = await ended(runner, job);
    expect(outcome.kind).toBe('completed');
    for (const machine of [0, 1, 2])
      expect(textOf(job, outcome, `machine-${machine}.count`)).toBe('once\n');
    await runner.submit(assignment);
    expect(await runner.look(job)).toEqual({ state: 'ended', outcome });
    await runner.remove(job);
  });

  test('that is given up while it starts leaves nothing running', async () => {
    const word = randomUUID();
    const {
      job,
      task,
      machines: [first],
    } = onMachines(`exec sh -c 'echo up; sleep 60; : ${word}'`, 2);
    await writeMachineList(root, job, 2);
    await engine.submit({ job: machineRunId(job, 0), claim: HELD, task, ...first });
    await runner.stop(job, 'cancelled');
    expect(await ended(runner, job)).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(isRunning(word)).toBe(false);
    await runner.remove(job);
  });

  test('that is stopped the moment it is submitted leaves nothing running, now or later', async () => {
    const word = randomUUID();
    const assignment = onMachines(`exec sh -c 'sleep 60; : ${word}'`, 6);
    const begun = runner.submit(assignment);
    await runner.stop(assignment.job, 'cancelled');
    await begun;
    // A failure shows the whole outcome.
    expect(await ended(runner, assignment.job)).toEqual(
      expect.objectContaining({ kind: 'stopped', reason: 'cancelled' }),
    );
    expect(isRunning(word)).toBe(false);
    await runner.remove(assignment.job);
    expect(existsSync(join(root, assignment.job))).toBe(false);
  });

  test('that its engine fails to start is given up: what had started is stopped', async () => {
    const word = randomUUID();
    const assignment = onMachines(`echo up; exec sh -c 'sleep 60; : ${word}'`, 6);
    const breaking = jobRunner(
      {
        ...engine,
        submit: async (work) => {
          if (jobOfRun(work.job).machine !== 1) return engine.submit(work);
          await until(() => isRunning(word), 'another one runs');
          throw new Error('the disc is full');
        },
      },
      root,
    );
    await expect(breaking.submit(assignment)).rejects.toThrow('the disc is full');
    // Like its executor after it has given the job up in the book.
    await breaking.stop(assignment.job, 'cancelled');
    expect(isRunning(word)).toBe(false);
    await runner.remove(assignment.job);
    expect(existsSync(join(root, assignment.job))).toBe(false);
  });

  test('notifies listeners when a machine ends, by the id of the job', async () => {
    const told: JobId[] = [];
    runner.onEnded((job) => void told.push(job));
    const assignment = onMachines('true', 2);
    expect((await runJob(runner, assignment)).kind).toBe('completed');
    await until(
      () => told.filter((job) => job === assignment.job).length === 2,
      'both ends are told',
    );
    await runner.remove(assignment.job);
  });
});
