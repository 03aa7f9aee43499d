import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import type { ContainerTask } from '../../../src/tasks/task.ts';
import { seconds } from '../../../src/words/units.ts';
import { ended, run, shell, until, workload } from '../../runners/workloads.ts';
import { imageOf, startTestCluster, type TestCluster } from './cluster.ts';
import { IMAGE } from './node.ts';
import { fieldsOf, listOf, numberOf } from './store.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

/** A job waits until the test writes its file `go`. */
const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done';

const JOB_LABEL = 'execution-planner.ivoa.net/job';

withEngine(
  'kubernetes runner against the small API server of the tests',
  needs('bubblewrap', 'openssl'),
  () => {
    let cluster: TestCluster;
    let runner: Runner;
    const open: TestCluster['open'] = (more) => cluster.open(more);
    beforeAll(async () => {
      cluster = await startTestCluster();
      runner = open();
    });
    afterAll(() => cluster?.close());

    const textOf = (work: Workload, file: string): string =>
      readFileSync(join(cluster.jobsRoot, work.job, file), 'utf8');
    const oci = (
      more: Partial<ContainerTask> = {},
      asked: Parameters<typeof workload>[1] = {},
    ): Workload =>
      workload(
        {
          type: 'oci-container',
          image: imageOf(IMAGE),
          architectures: [],
          entrypoint: undefined,
          command: undefined,
          environment: {},
          network: 'none',
          ...more,
        },
        asked,
      );
    const podOf = (work: Workload): ReturnType<TestCluster['store']['get']> =>
      cluster.store.list('pods', `${JOB_LABEL}=${work.job}`)[0];
    const deadlineOf = (work: Workload): number | undefined =>
      numberOf(podOf(work)?.spec['activeDeadlineSeconds']);
    const begun = (work: Workload): Promise<void> =>
      until(() => textOf(work, 'stdout').startsWith('begun\n'), 'the beginning');
    const go = ({ job }: Workload): void =>
      writeFileSync(join(cluster.jobsRoot, job, 'work/go'), '');

    describe('what the cluster is given', () => {
      test('is the offer: amounts, duration and the label of the job, on every object', async () => {
        const work = {
          ...shell(`echo begun; ${UNTIL_GO}`, {
            cores: 1.5,
            memory: 300,
            scratch: 70,
            wallTime: 40,
          }),
          gpus: { type: 'urn:a100', count: 2 },
        };
        const made = cluster.server.received.length;
        await open({ gpus: { 'urn:a100': 'example.org/a100' } }).submit(work);
        const received = cluster.server.received.slice(made);
        expect(received.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Job']);
        for (const { metadata } of received)
          expect(metadata).toMatchObject({
            namespace: 'vo-jobs',
            labels: { [JOB_LABEL]: work.job },
          });
        const amounts = {
          cpu: '1500m',
          memory: '300Mi',
          'ephemeral-storage': '70Mi',
          'example.org/a100': '2',
        };
        expect(received[1]).toMatchObject({
          spec: {
            backoffLimit: 0,
            activeDeadlineSeconds: 60 + 60 + 40 + 60,
            template: {
              metadata: { labels: { [JOB_LABEL]: work.job } },
              spec: {
                activeDeadlineSeconds: 60 + 40,
                containers: [{ resources: { limits: amounts, requests: amounts } }],
              },
            },
          },
        });
        await begun(work);
        await until(
          () => (deadlineOf(work) ?? 100) < 45,
          'the duration of the offer, once the run has begun',
        );
        expect(deadlineOf(work)).toBeGreaterThanOrEqual(40);
        go(work);
        expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      });
    });

    describe('a container of the client', () => {
      test('gets outbound network only where the site grants it, and never comes from an archive', async () => {
        expect(await run(runner, oci({ network: 'outbound' }))).toMatchObject({
          kind: 'failed',
          message: 'this destination gives no network to its jobs',
        });
        expect(
          await run(
            runner,
            oci({ image: { kind: 'archive', url: 'file:///x.tar', digest: undefined } }),
          ),
        ).toMatchObject({ kind: 'failed', code: 'fetch-failed' });
        const made = cluster.server.received.length;
        await run(open({ outbound: true }), oci({ network: 'outbound' }));
        const egress = listOf(fieldsOf(cluster.server.received[made]?.['spec'])['egress']);
        expect(JSON.stringify(egress)).toContain('"cidr":"0.0.0.0/0"');
        expect(JSON.stringify(egress)).toContain('169.254.0.0/16');
      });
    });

    test('the end of a job is noticed although watches broke and history was forgotten', async () => {
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
        const [before, meanwhile] = [
          shell(`echo begun; ${UNTIL_GO}; echo two`),
          shell('echo run >> count'),
        ];
        await runner.submit(before);
        await begun(before);
        await cluster.server.disconnect();
        await runner.submit(meanwhile);
        await until(
          async () => (await runner.look(before.job)).state === 'unknown',
          'that nothing is known',
        );
        go(before);
        await until(async () => !(await cluster.isAlive(before.job)), 'the end of the job');
        await cluster.server.connect();
        await until(
          async () => (await runner.look(before.job)).state === 'ended',
          'the end that was found',
        );
        expect(textOf(before, 'stdout')).toBe('begun\ntwo\n');
        expect(await ended(runner, meanwhile.job)).toMatchObject({ kind: 'completed' });
        expect(textOf(meanwhile, 'work/count')).toBe('run\n');
      });

      test('that creates a Job and dies before it answers has created one, and not two', async () => {
        const work = shell('echo run >> count; sleep 0.5');
        cluster.server.refuse('jobs', 0, '');
        await runner.submit(work);
        expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'work/count')).toBe('run\n');
      });

      test('that is away longer than the site waits has lost its jobs', async () => {
        const impatient = open({ unreachableLimit: seconds(1) });
        const work = shell('echo begun; sleep 300');
        await impatient.submit(work);
        await begun(work);
        await cluster.server.disconnect();
        await until(
          async () => (await impatient.look(work.job)).state === 'ended',
          'the end',
        ).finally(() => cluster.server.connect());
        expect(await impatient.look(work.job)).toMatchObject({
          state: 'ended',
          outcome: { kind: 'failed', code: 'run-lost', transient: true },
        });
        await runner.remove(work.job);
        expect([await cluster.left(work.job), await cluster.isAlive(work.job)]).toEqual([
          [],
          false,
        ]);
      });

      test('that rejects the Job passes the reason to the client, and keeps nothing of it', async () => {
        const work = shell('echo never');
        cluster.server.refuse('jobs', 403, 'jobs.batch is forbidden: exceeded quota: vo');
        expect(await run(runner, work)).toMatchObject({
          kind: 'failed',
          code: 'runner-failed',
          message:
            'the cluster does not take the Job of the job: jobs.batch is forbidden: exceeded quota: vo',
        });
        expect(await cluster.left(work.job)).toEqual([]);
      });
    });

    describe('a job', () => {
      test('whose executor died before it sent anything is created by the next one', async () => {
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

      test('whose executor died while it settled the job ends as it ended', async () => {
        const work = shell('echo out; exit 3');
        await run(runner, work);
        // As if the outcome had not been written yet.
        rmSync(join(cluster.jobsRoot, work.job, 'outcome.json'));
        expect(await open().look(work.job)).toMatchObject({
          state: 'ended',
          outcome: { kind: 'failed', message: 'the task ended with exit code 3' },
        });
      });
    });
  },
);
