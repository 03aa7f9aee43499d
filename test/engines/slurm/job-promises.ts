import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, patiently, run, shell, workload } from '../../runners/workloads.ts';
import type { SlurmBench } from './bench.ts';
import { byCommands, bySlurmrestd, settingsOf } from './slurm.ts';

/** Promises of Slurm to a job. */
export function jobPromises(bench: SlurmBench): void {
  const { open, openBy, commands, idOf, textOf, running } = bench;

  test('gets what was offered, and nothing that a client wrote', async () => {
    const work = shell('sleep 300; : $(client text)', {
      cores: 2.5,
      memory: 300,
      wallTime: 61,
      environment: { SECRET: 'of the client' },
    });
    await bench.runner.submit(work);
    const told = await bench.cluster.run('scontrol', 'show', 'job', idOf(work));
    expect(told).toMatch(new RegExp(`JobName=vo-${work.job}\\b`));
    expect(told).toMatch(/UserId=nobody\(65534\)/);
    expect(told).toMatch(/TimeLimit=00:02:00/);
    expect(told).toMatch(/NumCPUs=3\b/);
    expect(told).toMatch(/MinMemoryNode=300M/);
    expect(told).toMatch(/Requeue=0/);
    expect(
      `${told}${await bench.cluster.run('scontrol', 'write', 'batch_script', idOf(work), '-')}`,
    ).not.toMatch(/client/);
    await patiently(() => bench.runner.remove(work.job));
  });

  test('starts a job no sooner than offered, by commands and by slurmrestd; a past start is now', async () => {
    for (const access of [byCommands(bench.cluster), bySlurmrestd(bench.cluster)]) {
      const one = openBy(access);
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
      ...shell('echo "$CUDA_VISIBLE_DEVICES"; until [ -e go ]; do sleep 0.1; done'),
      gpus: { type: 'https://example.org/gpu', count: 1 },
    }));
    for (const work of works) await bench.runner.submit(work);
    for (const work of works) await running(work);
    for (const { job } of works) writeFileSync(join(bench.cluster.jobsRoot, job, 'work/go'), '');
    for (const work of works)
      expect(await ended(bench.runner, work.job)).toMatchObject({ kind: 'completed' });
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
    expect(Math.abs((free ?? 0) - now)).toBeLessThan(300_000);
    const works = [1, 2].map(() => shell('sleep 300', { cores: 32, wallTime: 1800 }));
    for (const work of works) await bench.runner.submit(work);
    for (const work of works) await running(work);
    const full = await client.predict(amount);
    expect((full ?? 0) - now).toBeGreaterThan(1_700_000);
    expect((await client.jobs()).filter(({ state }) => state === 'PENDING')).toEqual([]);
    for (const work of works) await patiently(() => bench.runner.remove(work.job));
  });

  test('runs Python programs with the interpreter of its nodes', async () => {
    const text =
      'import os, sys\nprint(sys.argv[1:], os.getuid(), os.environ["OMP_NUM_THREADS"], os.getcwd())';
    const work = workload({
      type: 'python-program',
      program: { kind: 'inline', text },
      arguments: ["it's", '$(id)'],
    });
    expect(await run(bench.runner, work)).toMatchObject({ kind: 'completed' });
    expect(textOf(work, 'stdout')).toBe(
      `["it's", '$(id)'] 65534 1 ${join(bench.cluster.jobsRoot, work.job, 'work')}\n`,
    );
  });

  test('ends a job that takes more memory than offered, and the client learns the reason', async () => {
    const outcome = await run(
      bench.runner,
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
    await bench.runner.submit(work);
    await running(work);
    await bench.cluster.run('scancel', idOf(work));
    expect(await ended(bench.runner, work.job)).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining('cancelled at Slurm, and not by its owner'),
      transient: true,
    });
  });

  test('refuses what it can never run, in its own words', async () => {
    expect(await run(bench.runner, shell('true', { memory: 999_000 }))).toMatchObject({
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
      longestWait: settingsOf(byCommands(bench.cluster)).longestWait,
      arguments: ['--nice=100'],
    });
    await bench.cluster.run('scontrol', 'update', 'partitionname=main', 'state=down');
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
    await bench.cluster.run('scontrol', 'update', 'partitionname=main', 'state=up');
    expect(await ended(hasty, patient.job)).toMatchObject({ kind: 'completed' });
  });
}
