import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { accountOf } from '../../../src/runners/slurm/account.ts';
import { cliClient } from '../../../src/runners/slurm/cli.ts';
import { SlurmUnreachable, type SlurmClient } from '../../../src/runners/slurm/client.ts';
import type { SlurmSettings } from '../../../src/runners/engine.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { ended, run, shell, until, workload } from '../../runners/workloads.ts';
import {
  byCommands,
  bySlurmrestd,
  isAlive,
  JOB_USER,
  NO_URLS,
  settingsOf,
  slurmMissing,
  startCluster,
  type Cluster,
} from './slurm.ts';
import { withEngine } from '../summary.ts';

/** All 1,000 of them, from accept on: slurm-burst.test.ts. */
const BURST = 200;

withEngine('slurm, a cluster in trouble', slurmMissing(), () => {
  let cluster: Cluster;
  let runner: Runner;
  const opened: Runner[] = [];
  const open = (more: Partial<SlurmSettings> = {}, client?: SlurmClient): Runner => {
    const one = slurmRunner(
      settingsOf(byCommands(cluster), more),
      { jobsRoot: cluster.jobsRoot, urls: NO_URLS },
      client,
    );
    opened.push(one);
    return one;
  };
  const commands = (): SlurmClient =>
    cliClient(
      settingsOf(byCommands(cluster)),
      { transport: 'cli', conf: cluster.conf, bin: undefined },
      accountOf(JOB_USER),
      JOB_USER,
    );
  const idOf = ({ job }: Workload): string =>
    String(JSON.parse(readFileSync(join(cluster.jobsRoot, job, 'slurm-id.json'), 'utf8')).id);
  const textOf = ({ job }: Workload, path: string): string =>
    readFileSync(join(cluster.jobsRoot, job, path), 'utf8');
  const stateOf = async (work: Workload): Promise<string> =>
    (
      await cluster.run(
        'squeue',
        '--noheader',
        '--states=all',
        '--format=%T',
        `--jobs=${idOf(work)}`,
      )
    ).trim();
  const running = (work: Workload): Promise<void> =>
    until(
      async () => (await stateOf(work)) === 'RUNNING' && (await isAlive(work.job)),
      'the job runs',
    );

  beforeAll(async () => {
    cluster = await startCluster();
    runner = open();
  });
  afterEach(() => cluster.startController());
  afterAll(async () => {
    for (const one of opened) await one.close();
    await cluster?.close();
  });

  test('gets what was offered, and nothing that a client wrote', async () => {
    const work = shell('sleep 300; : $(client text)', {
      cores: 2.5,
      memory: 300,
      wallTime: 61,
      environment: { SECRET: 'of the client' },
    });
    await runner.submit(work);
    const told = await cluster.run('scontrol', 'show', 'job', idOf(work));
    expect(told).toMatch(new RegExp(`JobName=vo-${work.job}\\b`));
    expect(told).toMatch(/UserId=nobody\(65534\)/);
    expect(told).toMatch(/TimeLimit=00:02:00/);
    expect(told).toMatch(/NumCPUs=3\b/);
    expect(told).toMatch(/MinMemoryNode=300M/);
    expect(told).toMatch(/Requeue=0/);
    expect(
      `${told}${await cluster.run('scontrol', 'write', 'batch_script', idOf(work), '-')}`,
    ).not.toMatch(/client/);
    await runner.remove(work.job);
  });

  test('starts a job no sooner than offered, by commands and by slurmrestd; a past start is now', async () => {
    for (const access of [byCommands(cluster), bySlurmrestd(cluster)]) {
      const one = slurmRunner(settingsOf(access), { jobsRoot: cluster.jobsRoot, urls: NO_URLS });
      opened.push(one);
      const start = Date.now() + 4_000;
      const [early, late] = [
        { ...shell('date +%s'), startsAt: start },
        { ...shell('date +%s'), startsAt: start - 3_600_000 },
      ];
      for (const work of [early, late]) await one.submit(work);
      for (const work of [early, late])
        expect(await ended(one, work.job)).toMatchObject({ kind: 'completed' });
      expect(Number(textOf(early, 'stdout'))).toBeGreaterThanOrEqual(Math.floor(start / 1000));
    }
  });

  test('gives a job the GPUs that it was promised, and no other job the same', async () => {
    const works = [1, 2].map(() => ({
      ...shell('echo "$CUDA_VISIBLE_DEVICES"; sleep 2'),
      gpus: { type: 'https://example.org/gpu', count: 1 },
    }));
    for (const work of works) await runner.submit(work);
    for (const work of works)
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
    expect(works.map((work) => textOf(work, 'stdout')).toSorted()).toEqual(['0\n', '1\n']);
    expect(
      await run(open({ gres: { 'https://example.org/gpu': 'gpu:none' } }), {
        ...shell('true'),
        gpus: { type: 'https://example.org/gpu', count: 1 },
      }),
    ).toMatchObject({ kind: 'failed', code: 'runner-failed' });
  });

  test('predicts when it would start a job, without submitting it', async () => {
    const client = commands();
    const amount = { minutes: 5, cpus: 32, memory: 100, gres: undefined };
    const now = Date.now();
    const free = await client.predict(amount);
    expect(Math.abs((free ?? 0) - now)).toBeLessThan(10_000);
    const works = [1, 2].map(() => shell('sleep 300', { cores: 32, wallTime: 1800 }));
    for (const work of works) await runner.submit(work);
    for (const work of works) await running(work);
    const full = await client.predict(amount);
    expect((full ?? 0) - now).toBeGreaterThan(1_700_000);
    expect((await client.jobs()).filter(({ state }) => state === 'PENDING')).toEqual([]);
    for (const work of works) await runner.remove(work.job);
  });

  test('runs Python programs with the interpreter of its nodes', async () => {
    const text =
      'import os, sys\nprint(sys.argv[1:], os.getuid(), os.environ["OMP_NUM_THREADS"], os.getcwd())';
    const work = workload({
      type: 'python-program',
      program: { kind: 'inline', text },
      arguments: ["it's", '$(id)'],
    });
    expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
    expect(textOf(work, 'stdout')).toBe(
      `["it's", '$(id)'] 65534 1 ${join(cluster.jobsRoot, work.job, 'work')}\n`,
    );
  });

  test('ends a job that takes more memory than offered, and the client learns the reason', async () => {
    const outcome = await run(
      runner,
      shell('x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}', { memory: 64 }),
    );
    expect(outcome).toMatchObject({
      kind: 'stopped',
      reason: 'memory',
      message: expect.stringMatching(/64 MiB.* offered/),
    });
  });

  test("may cancel a job itself, which is not recorded as the owner's doing", async () => {
    const work = shell('sleep 300');
    await runner.submit(work);
    await running(work);
    await cluster.run('scancel', idOf(work));
    expect(await ended(runner, work.job)).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining('cancelled at Slurm, and not by its owner'),
      transient: true,
    });
  });

  test('refuses what it can never run, in its own words', async () => {
    expect(await run(runner, shell('true', { memory: 999_000 }))).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringMatching(/^Slurm does not take the job: .*(configuration|Memory)/i),
    });
    expect(await run(open({ partition: 'nowhere' }), shell('true'))).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('invalid partition'),
    });
  });

  test('loses a job that it does not start in time', async () => {
    const hasty = open({
      longestWait: settingsOf(byCommands(cluster)).longestWait,
      arguments: ['--nice=100'],
    });
    await cluster.run('scontrol', 'update', 'partitionname=main', 'state=down');
    const patient = shell('echo late');
    await hasty.submit(patient);
    const impatient = open({
      longestWait: workload(patient.task, { wallTime: 1 }).limits.wallTime,
    });
    const work = shell('echo never');
    await impatient.submit(work);
    expect(await ended(impatient, work.job)).toMatchObject({
      kind: 'failed',
      code: 'queue-limit-exceeded',
      message: 'Slurm did not start the job within 1 s',
    });
    expect(await hasty.look(patient.job)).toEqual({ state: 'queued' });
    await cluster.run('scontrol', 'update', 'partitionname=main', 'state=up');
    expect(await ended(hasty, patient.job)).toMatchObject({ kind: 'completed' });
  });

  test('is asked whether it answers without listing jobs, and is reported when it does not', async () => {
    const elsewhere = open({ partition: 'nowhere' });
    const byRest = slurmRunner(settingsOf(bySlurmrestd(cluster)), {
      jobsRoot: cluster.jobsRoot,
      urls: NO_URLS,
    });
    const lost = slurmRunner(settingsOf(bySlurmrestd(cluster), { partition: 'nowhere' }), {
      jobsRoot: cluster.jobsRoot,
      urls: NO_URLS,
    });
    opened.push(byRest, lost);
    const answers = (one: Runner): Promise<unknown> =>
      one.probe?.().then(
        () => 'yes',
        (error: unknown) => String(error),
      ) ?? Promise.resolve('unasked');
    expect([await answers(runner), await answers(byRest)]).toEqual(['yes', 'yes']);
    expect([await answers(elsewhere), await answers(lost)]).toEqual([
      expect.stringMatching(/^SlurmRefusal.*partition nowhere/),
      expect.stringMatching(/Invalid partition/),
    ]);
    await cluster.stopController();
    try {
      expect([await answers(runner), await answers(byRest)]).toEqual([
        expect.stringMatching(/^SlurmUnreachable/),
        expect.stringMatching(/^Slurm/),
      ]);
    } finally {
      await cluster.startController();
    }
  });

  test('may stop answering for 10 s: jobs go on, new ones run once, and none is lost', async () => {
    const before = shell('sleep 3; echo ran >> count');
    await runner.submit(before);
    await running(before);
    await cluster.stopController();
    const meanwhile = shell('echo ran >> count');
    await runner.submit(meanwhile);
    expect(await runner.look(meanwhile.job)).toEqual({ state: 'queued' });
    expect(await runner.look(before.job)).toEqual({ state: 'running' });
    await delay(10_000);
    await until(
      async () => (await runner.look(before.job)).state === 'unknown',
      'nobody can say what it does',
    );
    expect(await runner.look(meanwhile.job)).toEqual({ state: 'queued' });
    await cluster.startController();
    for (const work of [before, meanwhile]) {
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'work/count')).toBe('ran\n');
    }
  });

  test('loses its jobs with a reason when it is gone for good, but not what its nodes wrote down', async () => {
    const short = open({
      unreachableLimit: workload(shell('').task, { wallTime: 1 }).limits.wallTime,
    });
    const finished = shell('sleep 3; echo done');
    const hanging = shell('sleep 300');
    for (const work of [finished, hanging]) await short.submit(work);
    for (const work of [finished, hanging]) await running(work);
    await cluster.stopController();
    await until(async () => !(await isAlive(finished.job)), 'one ended');
    expect(await ended(short, finished.job)).toMatchObject({ kind: 'completed' });
    expect(await ended(short, hanging.job)).toMatchObject({
      kind: 'failed',
      code: 'run-lost',
      message: expect.stringMatching(/could not be asked for \d+ s/),
      transient: true,
    });
    await cluster.startController();
    await cluster.run('scancel', idOf(hanging));
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
          if (lost <= 2) throw new SlurmUnreachable('the answer was lost');
          return id;
        },
        // It does not show the first one until it was sent again.
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
    await cluster.run('scancel', idOf(lost));
  });

  test('may forget a job, and is asked for its accounting record', async () => {
    const real = commands();
    const kept = cliClient(
      settingsOf(byCommands(cluster), { accounting: 'completions' }),
      { transport: 'cli', conf: cluster.conf, bin: undefined },
      accountOf(JOB_USER),
      JOB_USER,
    );
    const empty = open({}, { ...real, recall: kept.recall, jobs: async () => [] });
    const work = shell('sleep 300');
    await empty.submit(work);
    await running(work);
    await cluster.run('scancel', idOf(work));
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
    await runner.submit(work);
    await running(work);
    const node = (
      await cluster.run('squeue', '--noheader', '--format=%N', `--jobs=${idOf(work)}`)
    ).trim();
    await cluster.killNode(node);
    expect(await ended(runner, work.job, 120_000)).toMatchObject({
      kind: 'failed',
      code: 'run-lost',
      message: expect.stringContaining('NODE_FAIL'),
      transient: true,
    });
    await cluster.startNode(node);
    await until(async () => !(await isAlive(work.job)), 'the node ended it when it came back');
  });

  test(`runs ${BURST} short jobs at once, none lost and none twice, with one query for all`, async () => {
    let questions = 0;
    const real = commands();
    const busy = open(
      { longestWait: settingsOf(byCommands(cluster), {}).unreachableLimit },
      {
        ...real,
        jobs: async () => {
          questions += 1;
          return real.jobs();
        },
      },
    );
    const works = Array.from({ length: BURST }, () => shell('echo ran >> count', { memory: 16 }));
    const begun = performance.now();
    const waiting = [...works];
    await Promise.all(
      Array.from({ length: 16 }, async () => {
        for (let work = waiting.shift(); work !== undefined; work = waiting.shift())
          await busy.submit(work);
      }),
    );
    const sent = performance.now() - begun;
    const outcomes = new Map<string, Outcome['kind']>();
    for (const { job } of works) outcomes.set(job, (await ended(busy, job, 120_000)).kind);
    const took = performance.now() - begun;
    process.stderr.write(
      `slurm: ${BURST} jobs submitted in ${(sent / 1000).toFixed(1)} s, all over after ` +
        `${(took / 1000).toFixed(1)} s, ${questions} questions\n`,
    );
    expect([...outcomes.values()].filter((kind) => kind !== 'completed')).toEqual([]);
    expect(works.filter((work) => textOf(work, 'work/count') !== 'ran\n')).toEqual([]);
    expect(questions).toBeLessThan(took / 400);
  });
});
