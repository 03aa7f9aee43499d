import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesRunner } from '../../src/runners/kubernetes-runner.ts';
import type { KubernetesSettings } from '../../src/runners/engine.ts';
import type { Runner, Workload } from '../../src/runners/port.ts';
import type { ContainerTask } from '../../src/tasks/task.ts';
import { seconds } from '../../src/words/units.ts';
import { ended, run, shell, until, workload } from '../runners/workloads.ts';
import { imageOf, isAlive, startTestCluster, type TestCluster } from './kubernetes/cluster.ts';
import { IMAGE } from './kubernetes/node.ts';
import { fieldsOf, listOf, numberOf } from './kubernetes/store.ts';
import { install } from './packages.ts';
import { withEngine } from './summary.ts';

jest.setTimeout(60_000);

const JOB_LABEL = 'execution-planner.ivoa.net/job';
const PLURALS = ['jobs', 'pods', 'networkpolicies', 'configmaps', 'secrets', 'services', 'deployments'];

withEngine('kubernetes runner against the small API server of the tests', install('bubblewrap', 'openssl'), () => {
  let cluster: TestCluster;
  let runner: Runner;
  const opened: Runner[] = [];
  const open = (more: Partial<KubernetesSettings> = {}): Runner => {
    const one = kubernetesRunner({ jobsRoot: cluster.jobsRoot, urls: { allowHosts: [], fileRoots: [] } }, cluster.settings(more));
    opened.push(one);
    return one;
  };
  beforeAll(async () => {
    cluster = await startTestCluster();
    runner = open();
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await cluster?.close();
  });

  const textOf = (work: Workload, file: string): string => readFileSync(join(cluster.jobsRoot, work.job, file), 'utf8');
  const oci = (more: Partial<ContainerTask> = {}, asked: Parameters<typeof workload>[1] = {}): Workload =>
    workload({ type: 'oci-container', image: imageOf(IMAGE), architectures: [], entrypoint: undefined, command: undefined, environment: {}, network: 'none', ...more }, asked);
  const left = (work: Workload): readonly string[] => PLURALS.flatMap((plural) => cluster.store.list(plural, `${JOB_LABEL}=${work.job}`).map(({ metadata }) => `${plural}/${metadata.name}`));
  const podOf = (work: Workload): ReturnType<TestCluster['store']['get']> => cluster.store.list('pods', `${JOB_LABEL}=${work.job}`)[0];
  const deadlineOf = (work: Workload): number | undefined => numberOf(podOf(work)?.spec['activeDeadlineSeconds']);
  const begun = (work: Workload): Promise<void> => until(() => textOf(work, 'stdout').startsWith('begun\n'), 'the beginning');

  describe('what the cluster is told', () => {
    test('is the offer: amounts, duration and the label of the job, on everything that is made', async () => {
      const work = { ...shell('echo begun; sleep 2', { cores: 1.5, memory: 300, scratch: 70, wallTime: 40 }), gpus: { type: 'urn:a100', count: 2 } };
      const made = cluster.server.received.length;
      await open({ gpus: { 'urn:a100': 'example.org/a100' } }).submit(work);
      const received = cluster.server.received.slice(made);
      expect(received.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Job']);
      for (const { metadata } of received) expect(metadata).toMatchObject({ namespace: 'vo-jobs', labels: { [JOB_LABEL]: work.job } });
      const amounts = { 'cpu': '1500m', 'memory': '300Mi', 'ephemeral-storage': '70Mi', 'example.org/a100': '2' };
      expect(received[1]).toMatchObject({ spec: { backoffLimit: 0, activeDeadlineSeconds: 60 + 60 + 40 + 60, template: { metadata: { labels: { [JOB_LABEL]: work.job } }, spec: { activeDeadlineSeconds: 60 + 40, containers: [{ resources: { limits: amounts, requests: amounts } }] } } } });
      await begun(work);
      await until(() => (deadlineOf(work) ?? 100) < 45, 'the duration of the offer, once the run has begun');
      expect(deadlineOf(work)).toBeGreaterThanOrEqual(40);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
    });

    test('is nothing any more once the job has ended, and its files stay', async () => {
      const work = shell('echo x');
      await run(runner, work);
      expect(left(work)).toEqual([]);
      expect(textOf(work, 'stdout')).toBe('x\n');
    });

    test('makes a pod that has no rights, writes only where it may, and finds no network', async () => {
      const work = shell('id -u; grep -c : /proc/net/dev; echo x > /etc/x; echo y > /usr/y; echo z > z');
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      const [uid, devices] = textOf(work, 'stdout').split('\n');
      expect([Number(uid) > 0, devices]).toEqual([true, '1']);
      expect(textOf(work, 'stderr').match(/Read-only file system/g)).toHaveLength(2);
      expect(textOf(work, 'work/z')).toBe('z\n');
    });
  });

  describe('a container of the client', () => {
    test('has what it prints in the log of the cluster, which is copied while it runs', async () => {
      const work = oci({ entrypoint: ['sh'], command: ['-c', 'echo begun; while [ ! -e go ]; do sleep 0.1; done; printf "a\\000\\377b"'] });
      await runner.submit(work);
      await begun(work);
      expect(await runner.look(work.job)).toEqual({ state: 'running' });
      writeFileSync(join(cluster.jobsRoot, work.job, 'work/go'), '');
      const outcome = await ended(runner, work.job);
      expect(outcome).toMatchObject({ kind: 'completed', results: expect.arrayContaining([expect.objectContaining({ id: 'stdout', size: 10 }), expect.objectContaining({ id: 'stderr', size: 0 })]) });
      expect([...readFileSync(join(cluster.jobsRoot, work.job, 'stdout'))].slice(6)).toEqual([97, 0, 255, 98]);
    });

    test('runs what its image says when the task says nothing else', async () => {
      const work = oci();
      await run(runner, work);
      expect(textOf(work, 'stdout')).toBe('the command of the image\n');
    });

    test('that prints more than its scratch space is stopped', async () => {
      expect(await run(runner, oci({ entrypoint: ['sh', '-c', 'head -c 20000000 /dev/zero; sleep 60'] }, { scratch: 5 }))).toMatchObject({ kind: 'stopped', reason: 'output' });
    });

    test('whose program is not there fails the task, in the words of the node', async () => {
      expect(await run(runner, oci({ entrypoint: ['/no/such'] }))).toMatchObject({ kind: 'failed', code: 'task-failed', message: expect.stringContaining('/no/such'), transient: false });
    });

    test('whose image is not there ends with what the registry says', async () => {
      const work = oci({ image: imageOf('registry.test/none:1') });
      expect(await run(runner, work)).toMatchObject({ kind: 'failed', code: 'fetch-failed', message: expect.stringMatching(/registry\.test\/none:1.*not found/), transient: false });
      expect(left(work)).toEqual([]);
    });

    test('gets the outside only where the site grants it, and is an archive nowhere', async () => {
      expect(await run(runner, oci({ network: 'outbound' }))).toMatchObject({ kind: 'failed', message: 'this destination gives no network to its jobs' });
      expect(await run(runner, oci({ image: { kind: 'archive', url: 'file:///x.tar', digest: undefined } }))).toMatchObject({ kind: 'failed', code: 'fetch-failed' });
      const made = cluster.server.received.length;
      await run(open({ outbound: true }), oci({ network: 'outbound' }));
      const egress = listOf(fieldsOf(cluster.server.received[made]?.['spec'])['egress']);
      expect(JSON.stringify(egress)).toContain('"cidr":"0.0.0.0/0"');
      expect(JSON.stringify(egress)).toContain('169.254.0.0/16');
    });
  });

  test('the end of a job is heard although watches broke and history was forgotten meanwhile', async () => {
    const work = shell('echo begun; sleep 1.5');
    const told: string[] = [];
    const own = open();
    own.onEnded((job) => void own.look(job).then(({ state }) => told.push(state)));
    await own.submit(work);
    await begun(work);
    cluster.server.breakWatches();
    cluster.store.compact();
    cluster.server.breakWatches();
    await until(() => told.includes('ended'), 'the end');
    expect(await own.look(work.job)).toMatchObject({ state: 'ended' });
  });

  describe('an API server', () => {
    test('that is away for a while loses no job, and one that is submitted meanwhile runs later', async () => {
      const [before, meanwhile] = [shell('echo begun; sleep 1; echo two'), shell('echo run >> count')];
      await runner.submit(before);
      await begun(before);
      await cluster.server.disconnect();
      await runner.submit(meanwhile);
      await until(async () => (await runner.look(before.job)).state === 'unknown', 'that nothing is known');
      await until(async () => !(await isAlive(before.job)), 'the end of the job');
      await cluster.server.connect();
      await until(async () => (await runner.look(before.job)).state === 'ended', 'the end that was found');
      expect(textOf(before, 'stdout')).toBe('begun\ntwo\n');
      expect(await ended(runner, meanwhile.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(meanwhile, 'work/count')).toBe('run\n');
    });

    test('that makes a Job and dies before it says so has made one, and not two', async () => {
      const work = shell('echo run >> count; sleep 0.5');
      cluster.server.refuse('jobs', 0, '');
      await runner.submit(work);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'work/count')).toBe('run\n');
    });

    test('that is away longer than the site waits has lost its jobs', async () => {
      const impatient = open({ unreachableLimit: seconds(1) });
      const work = shell('echo begun; sleep 30');
      await impatient.submit(work);
      await begun(work);
      await cluster.server.disconnect();
      await until(async () => (await impatient.look(work.job)).state === 'ended', 'the end').finally(() => cluster.server.connect());
      expect(await impatient.look(work.job)).toMatchObject({ state: 'ended', outcome: { kind: 'failed', code: 'run-lost', transient: true } });
      await runner.remove(work.job);
      expect([left(work), await isAlive(work.job)]).toEqual([[], false]);
    });

    test('that does not want the Job says why to the client, and keeps nothing of it', async () => {
      const work = shell('echo never');
      cluster.server.refuse('jobs', 403, 'jobs.batch is forbidden: exceeded quota: vo');
      expect(await run(runner, work)).toMatchObject({ kind: 'failed', code: 'runner-failed', message: 'the cluster does not take the Job of the job: jobs.batch is forbidden: exceeded quota: vo' });
      expect(left(work)).toEqual([]);
    });
  });

  describe('a job', () => {
    test('that no node takes is given up after the wait of the site', async () => {
      cluster.node.isFull = true;
      try {
        const work = shell('echo never');
        const impatient = open({ longestWait: seconds(2) });
        await impatient.submit(work);
        expect(await impatient.look(work.job)).toEqual({ state: 'queued' });
        expect(await ended(impatient, work.job)).toMatchObject({ kind: 'failed', code: 'queue-limit-exceeded', message: expect.stringContaining('within 2 s') });
        expect(left(work)).toEqual([]);
      } finally {
        cluster.node.isFull = false;
      }
    });

    test('that nobody looks after is ended by the cluster when its duration is over', async () => {
      const lonely = open();
      const work = shell('echo begun; sleep 60', { wallTime: 6 });
      await lonely.submit(work);
      await begun(work);
      await until(() => (deadlineOf(work) ?? 100) < 12, 'the deadline');
      await lonely.close();
      await until(async () => !(await isAlive(work.job)), 'the end of the job');
      expect(await ended(open(), work.job)).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
    });

    test('that somebody removed from the cluster is lost', async () => {
      const work = shell('echo begun; sleep 60');
      await runner.submit(work);
      await begun(work);
      cluster.store.remove('jobs', `planner-${work.job}`);
      expect(await ended(runner, work.job)).toMatchObject({ kind: 'failed', code: 'run-lost', transient: true });
    });

    test('whose executor died before it sent anything is made by the next one', async () => {
      const work = shell('echo run >> count');
      await cluster.server.disconnect();
      const first = open();
      await first.submit(work);
      await first.close();
      await cluster.server.connect();
      const second = open();
      expect(await second.look(work.job)).toEqual({ state: 'queued' });
      expect(await ended(second, work.job)).toMatchObject({ kind: 'completed' });
      expect(textOf(work, 'work/count')).toBe('run\n');
    });

    test('whose executor died while it closed the books ends as it ended', async () => {
      const work = shell('echo out; exit 3');
      await run(runner, work);
      // As if the outcome had not been written yet.
      rmSync(join(cluster.jobsRoot, work.job, 'outcome.json'));
      expect(await open().look(work.job)).toMatchObject({ state: 'ended', outcome: { kind: 'failed', message: 'the task ended with exit code 3' } });
    });

    test('has its volumes where the ask says, and cannot write where it may only read', async () => {
      const volumes = [{ name: 'data', path: '/data', mode: 'rw' }, { name: 'in', path: '/data/in', mode: 'r' }, { name: 'below', path: 'x/y', mode: 'rw' }] as const;
      const work = oci({ entrypoint: ['sh', '-c', 'echo 1 > /data/a; echo 2 > /job/x/y/b; env | grep VOLUME | sort; echo no > /data/in/c; :'] }, { volumes });
      expect(await run(runner, work)).toMatchObject({ kind: 'completed', results: expect.arrayContaining([expect.objectContaining({ path: 'work/x/y/b' })]) });
      expect(textOf(work, 'stdout')).toMatch(/^VOLUME_BELOW=\/job\/x\/y\nVOLUME_DATA=\/data\nVOLUME_IN=\/data\/in\n/);
      expect(textOf(work, 'volumes/data/a')).toBe('1\n');
      expect(existsSync(join(cluster.jobsRoot, work.job, 'volumes/in/c'))).toBe(false);
    });
  });
});
