import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  followPhases,
  sendAccept,
  sendJob,
} from '../../../src/cli/conversation.ts';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { until } from '../../runners/workloads.ts';
import { needs } from '../packages.ts';
import { JOB_USER, slurmMissing, startCluster, type Cluster } from '../slurm/slurm.ts';
import { withEngine } from '../summary.ts';
import { fetchRecord } from './record.ts';
import { FAILING } from './snakefiles.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/snakemake-workflow';

const PARTS = `
rule all:
    input: "all.txt"

rule part:
    output: "parts/{n}.txt"
    threads: 2
    resources: mem_mb=200, step_cores=0
    shell: "echo {wildcards.n} {threads} $SLURM_JOB_NAME > {output}; sleep 2"

rule add:
    input: expand("parts/{n}.txt", n=range(config["parts"]))
    output: "all.txt"
    shell: "cat {input} > {output}"
`;

const LONG = `
rule all:
    input: expand("long/{n}.txt", n=range(4))

rule long:
    output: "long/{n}.txt"
    shell: "sleep 3000"
`;

withEngine('steps of workflows on the cluster itself', slurmMissing() ?? needs('snakemake'), () => {
  let cluster: Cluster;
  let service: WholeService;
  beforeAll(async () => {
    cluster = await startCluster();
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        offers: { duration: 'PT20M' },
        destinations: {
          cluster: {
            runner: 'slurm',
            'task-types': ['snakemake-workflow'],
            cores: 16,
            memory: '16GiB',
            scratch: '80GiB',
            slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER },
            workflows: { snakemake: { command: ['snakemake'], steps: 'engine' } },
          },
        },
      },
      rules: { tools: { default: { mem: 1 } }, destinations: { cluster: { runner: 'slurm' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
    await cluster?.close();
  });

  const ask = (
    workflow: string,
    cores: number,
    inputs: object = {},
    more: object = {},
    spec: object = {},
  ) => ({
    task: { type: TYPE, spec: { workflow, inputs, ...spec } },
    ...more,
    resources: {
      compute: [
        { 'min-cores': cores, 'max-cores': cores, 'min-memory': '2Gb', 'max-memory': '2Gb' },
      ],
    },
  });
  const begin = async (workflow: string, cores: number, duration = 'PT20M'): Promise<string> => {
    const offer = firstOffer(await service.ask(ask(workflow, cores, {}, { time: { duration } })));
    await sendAccept(offer);
    return sendJob(offer);
  };
  const stepsNow = async (job: string): Promise<readonly string[]> => {
    const name = `--name=vo-${job.slice(job.lastIndexOf('/') + 1)}-step`;
    const states = '--states=PENDING,CONFIGURING,RUNNING,COMPLETING';
    const told = await cluster.run('squeue', '--noheader', '--format=%T', states, name);
    return told.split('\n').filter((line) => line !== '');
  };
  const processesOf = (job: string) =>
    readProcesses().filter(({ pid }) =>
      hasEnvironment(pid, `PLANNER_JOB_ID=${job.slice(job.lastIndexOf('/') + 1)}`),
    );
  /** What an interpreter is told of steps of which Slurm knows nothing, by what they left. */
  const statusesOf = async (job: string, left: readonly (string | undefined)[]) => {
    const task = join(service.folder, 'jobs', job.slice(job.lastIndexOf('/') + 1), 'task');
    const told = left.map(async (code, index) => {
      const id = `${900_000 + index}`;
      if (code !== undefined) writeFileSync(join(task, 'ended-steps', id), code);
      return (await cluster.run('/bin/sh', join(task, 'status-of-step.sh'), id)).trim();
    });
    return Promise.all(told);
  };
  /** Others leave three cores of the cluster: for the interpreter and two of its three steps. */
  const othersFill = async (): Promise<void> => {
    for (const [index, node] of cluster.nodes.entries())
      await cluster.run(
        'sbatch',
        `--uid=${JOB_USER}`,
        '--job-name=others',
        '--chdir=/',
        `--output=${cluster.output}`,
        `--nodelist=${node}`,
        `--cpus-per-task=${31 - index}`,
        '--mem=100M',
        '--time=40',
        '--wrap=sleep 3000',
      );
  };
  const twoRun = (job: string): Promise<void> =>
    until(
      async () => (await stepsNow(job)).toSorted().join() === 'PENDING,RUNNING,RUNNING',
      'two steps run, and one waits',
    );
  const last = async (job: string): Promise<string | undefined> => {
    const phases: string[] = [];
    for await (const phase of followPhases(job)) phases.push(phase);
    return phases.at(-1);
  };

  test('each step is a job of Slurm, and together they never have more cores than were offered', async () => {
    const asked = ask(PARTS, 5, { parts: 3 }, {}, { provenance: true });
    const { job, last: phase } = await service.run(asked);
    expect([phase, await fetchPart(job, 'error').catch(() => '')]).toEqual(['COMPLETED', '']);
    const name = `vo-${job.slice(job.lastIndexOf('/') + 1)}-step`;
    expect(await fetchResult(job, 'all.txt')).toBe(
      [0, 1, 2].map((part) => `${part} 2 ${name}\n`).join(''),
    );
    const record = await fetchRecord(`${job}/results/provenance.tar.gz`);
    expect(record('ended-steps')).toBe('0\n'.repeat(4));
    expect(record('results.sha256')).toMatch(/^[0-9a-f]{64} {2}\.\/all\.txt$/m);
    const made = JSON.parse(record(`metadata/${Buffer.from('all.txt').toString('base64')}`));
    expect(made.endtime).toBeGreaterThan(made.starttime);
    const numbers = /Submitted job \d+ with external jobid '(\d+)'/g;
    expect([...record('log').matchAll(numbers)]).toHaveLength(4);
    const steps = () => completed(cluster).filter((record) => record.includes(`Name=${name} `));
    await until(async () => steps().length === 4, 'Slurm wrote down four steps');
    // Rules may say that they take none of the resource that counts cores.
    expect(mostCores(steps())).toBe(4);
    expect(await stepsNow(job)).toEqual([]);
  });

  test('the error of the job names the rule whose step failed', async () => {
    const { job, last: phase } = await service.run(ask(FAILING, 3));
    expect(phase).toBe('ERROR');
    const error = await fetchPart(job, 'error');
    expect(error).toMatch(/workflow-step-failed: the step go_on failed/);
    expect(await fetchResult(job, 'stderr')).toContain('this cannot be');
  });

  test('an abort leaves no step in the cluster, whose ends were known without Slurm', async () => {
    await othersFill();
    const job = await begin(LONG, 4);
    await twoRun(job);
    expect(await statusesOf(job, ['0\n', '3\n', undefined])).toEqual([
      'success',
      'failed',
      'failed',
    ]);
    await fetch(`${job}/phase`, { method: 'POST', body: new URLSearchParams({ PHASE: 'ABORT' }) });
    expect(await last(job)).toBe('ABORTED');
    expect(await stepsNow(job)).toEqual([]);
    await until(async () => processesOf(job).length === 0, 'no process is left');
  });

  test('kill -9 of the interpreter ends the job, and leaves no step', async () => {
    const job = await begin(LONG, 4);
    await twoRun(job);
    for (const pid of interpretersOf(processesOf(job).map((one) => one.pid)))
      process.kill(pid, 'SIGKILL');
    expect(await last(job)).toBe('ERROR');
    expect(await stepsNow(job)).toEqual([]);
    await until(async () => processesOf(job).length === 0, 'no process is left');
  });

  test('kill -9 of the executor, and the end of its time, leave no step of a job', async () => {
    const job = await begin(LONG, 4, 'PT1M');
    await until(async () => (await stepsNow(job)).includes('RUNNING'), 'a step runs');
    process.kill(executorBelow(process.pid), 'SIGKILL');
    expect(await last(job)).toBe('ABORTED');
    expect(await fetchPart(job, 'error')).toContain('wall-time-exceeded');
    expect(await stepsNow(job)).toEqual([]);
    await until(async () => processesOf(job).length === 0, 'no process is left');
  });

  test('an offer without room for a step beside the interpreter is a NO that says so', async () => {
    const answer = await service.ask(ask(PARTS, 2, { parts: 3 }));
    expect(answer).toMatch(/"?result"?: *'?"?NO/);
    expect(answer).toContain('below-workflow-minimum');
    expect(answer).toMatch(/beside the step\s+part/);
  });
});

/** The executor that a service has started. */
function executorBelow(parent: number): number {
  const found = readProcesses().find(
    ({ pid, parent: own }) =>
      own === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('executor.ts'),
  );
  if (found === undefined) throw new Error('there is no executor');
  return found.pid;
}

/** The processes that hand over steps, not those of steps. */
function interpretersOf(pids: readonly number[]): readonly number[] {
  const found = pids.filter((pid) => {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes('--cluster') && (words[1]?.endsWith('/snakemake') ?? false);
  });
  expect(found).toHaveLength(1);
  return found;
}

/** The records of ended jobs. */
function completed({ conf }: Cluster): readonly string[] {
  return readFileSync(join(dirname(conf), 'log/jobcomp.txt'), 'utf8').split('\n');
}

/** The most cores that jobs had at a time, by their records. */
function mostCores(records: readonly string[]): number {
  const jobs = records.map((record) => {
    const field = (name: string): string =>
      new RegExp(`(?:^| )${name}=(\\S+)`).exec(record)?.[1] ?? '';
    return {
      start: Date.parse(`${field('StartTime')}Z`),
      end: Date.parse(`${field('EndTime')}Z`),
      cores: Number(field('ProcCnt')),
    };
  });
  return Math.max(
    ...jobs.map(({ start }) =>
      jobs
        .filter((other) => other.start <= start && start < other.end)
        .reduce((sum, other) => sum + other.cores, 0),
    ),
  );
}
