import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { BatchUnreachable } from '../../../src/runners/batch/system.ts';
import { ended, run, shell, until, workload } from '../../runners/workloads.ts';
import type { SlurmBench } from './bench.ts';
import { bySlurmrestd, isAlive } from './slurm.ts';

/** A job waits until the test writes its file `go`. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done';

/** Promises for times when Slurm does not answer, forgets jobs or loses their node. */
export function outagePromises(bench: SlurmBench): void {
  const { open, openBy, commands, idOf, textOf, running } = bench;
  const go = ({ job }: Workload): void =>
    writeFileSync(join(bench.cluster.jobsRoot, job, 'work/go'), '');

  test('is asked whether it answers without listing jobs, and is reported when it does not', async () => {
    const elsewhere = open({ partition: 'nowhere' });
    const byRest = openBy(bySlurmrestd(bench.cluster));
    const lost = openBy(bySlurmrestd(bench.cluster), { partition: 'nowhere' });
    const answers = (one: Runner): Promise<unknown> =>
      one.probe?.().then(
        () => 'yes',
        (error: unknown) => String(error),
      ) ?? Promise.resolve('unasked');
    expect([await answers(bench.runner), await answers(byRest)]).toEqual(['yes', 'yes']);
    expect([await answers(elsewhere), await answers(lost)]).toEqual([
      expect.stringMatching(/^BatchRefusal: Partition nowhere not found/),
      expect.stringMatching(/Invalid partition/),
    ]);
    await bench.cluster.stopController();
    try {
      expect([await answers(bench.runner), await answers(byRest)]).toEqual([
        expect.stringMatching(/^BatchUnreachable/),
        expect.stringMatching(/^Batch(?:Refusal|Unreachable)/),
      ]);
    } finally {
      await bench.cluster.startController();
    }
  });

  test('may stop answering for 10 s: jobs go on, new ones run once, and none is lost', async () => {
    const before = shell(`${UNTIL_GO}; echo ran >> count`);
    await bench.runner.submit(before);
    await running(before);
    await bench.cluster.stopController();
    const meanwhile = shell('echo ran >> count');
    await bench.runner.submit(meanwhile);
    expect(await bench.runner.look(meanwhile.job)).toEqual({ state: 'queued' });
    expect(await bench.runner.look(before.job)).toEqual({ state: 'running' });
    await delay(10_000);
    await until(
      async () => (await bench.runner.look(before.job)).state === 'unknown',
      'nobody can say what it does',
    );
    go(before);
    expect(await bench.runner.look(meanwhile.job)).toEqual({ state: 'queued' });
    await bench.cluster.startController();
    for (const work of [before, meanwhile]) {
      expect(await ended(bench.runner, work.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'work/count')).toBe('ran\n');
    }
  });

  test('loses its jobs with a reason when it is gone for good, but not what its nodes wrote down', async () => {
    const short = open({
      unreachableLimit: workload(shell('').task, { wallTime: 1 }).limits.wallTime,
    });
    const finished = shell(`${UNTIL_GO}; echo done`);
    const hanging = shell('sleep 300');
    for (const work of [finished, hanging]) await short.submit(work);
    for (const work of [finished, hanging]) await running(work);
    await bench.cluster.stopController();
    go(finished);
    await until(async () => !(await isAlive(finished.job)), 'one ended');
    expect(await ended(short, finished.job)).toMatchObject({ kind: 'completed' });
    expect(await ended(short, hanging.job)).toMatchObject({
      kind: 'failed',
      code: 'run-lost',
      message: expect.stringMatching(/could not be asked for \d+ s/),
      transient: true,
    });
    await bench.cluster.startController();
    await bench.cluster.run('scancel', idOf(hanging));
  });

  test('may lose the answer to a submission, even twice: the job runs once', async () => {
    const real = commands();
    let lost = 0;
    const forgetful = open(
      {},
      {
        ...real,
        submit: async (request) => {
          const id = await real.submit(request);
          lost += 1;
          if (lost <= 2) throw new BatchUnreachable('the answer was lost');
          return id;
        },
        // It hides the first job until that is sent again.
        jobs: async () => (lost < 2 ? [] : real.jobs()),
      },
    );
    const work = shell('echo ran >> count; sleep 1');
    await forgetful.submit(work);
    expect(await ended(forgetful, work.job)).toMatchObject({ kind: 'completed' });
    expect(lost).toBe(2);
    expect(textOf(work, 'work/count')).toBe('ran\n');
    expect(textOf(work, 'node/status')).toMatch(/^start (\d+)$/m);
  });

  test('may forget a job, whose end is then what the node wrote down', async () => {
    const real = commands();
    const empty = open({}, { ...real, jobs: async () => [] });
    const work = shell('echo out; exit 3');
    await empty.submit(work);
    expect(await ended(empty, work.job)).toMatchObject({
      kind: 'failed',
      code: 'task-failed',
      message: 'the task ended with exit code 3',
    });
    const lost = shell('sleep 300');
    await empty.submit(lost);
    await until(async () => (await empty.look(lost.job)).state === 'unknown', 'it is not listed');
    expect(await ended(empty, lost.job)).toMatchObject({
      kind: 'failed',
      code: 'run-lost',
      message: expect.stringMatching(/no longer knows its job \d+/),
    });
    await bench.cluster.run('scancel', idOf(lost));
  });

  test('may forget a job, and is asked for its accounting record', async () => {
    const kept = commands({ accounting: 'completions' });
    const empty = open({}, { ...kept, jobs: async () => [] });
    const work = shell('sleep 300');
    await empty.submit(work);
    await running(work);
    await bench.cluster.run('scancel', idOf(work));
    expect(await ended(empty, work.job)).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining('cancelled at Slurm, and not by its owner'),
    });
  });

  test('without a directory that the nodes share says what to look at', async () => {
    const work = shell('sleep 1');
    const real = commands();
    const elsewhere = open(
      {},
      {
        ...real,
        submit: async (request) => real.submit({ ...request, script: '#!/bin/sh\nexit 0\n' }),
      },
    );
    expect(await run(elsewhere, work)).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringMatching(
        /the node never began: is .* on a file system that the nodes share\?/,
      ),
    });
  });

  test('loses a job with its node, and nothing hangs', async () => {
    const work = shell('sleep 300');
    await bench.runner.submit(work);
    await running(work);
    const node = (
      await bench.cluster.run('squeue', '--noheader', '--format=%N', `--jobs=${idOf(work)}`)
    ).trim();
    await bench.cluster.killNode(node);
    expect(await ended(bench.runner, work.job)).toMatchObject({
      kind: 'failed',
      code: 'run-lost',
      message: expect.stringContaining('NODE_FAIL'),
      transient: true,
    });
    await bench.cluster.startNode(node);
    await until(async () => !(await isAlive(work.job)), 'the node ended it when it came back');
  });
}
