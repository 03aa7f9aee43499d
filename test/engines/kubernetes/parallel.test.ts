import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JOB_LABEL } from '../../../src/runners/kubernetes/manifests/manifest.ts';
import { INDEX } from '../../../src/runners/kubernetes/pods/machines.ts';
import type { Runner, Workload } from '../../../src/runners/port.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';
import { ended, run, until } from '../../runners/workloads.ts';
import { needs } from '../packages.ts';
import { compileRing, mpiMissing, type Ring } from '../parallel/ring.ts';
import { parallel } from '../parallel/work.ts';
import { withEngine } from '../summary.ts';
import { startTestCluster, type TestCluster } from './cluster.ts';
import { fieldsOf, listOf, type Stored } from './store.ts';

const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done';

withEngine(
  'parallel jobs of kubernetes against the small API server of the tests',
  needs('bubblewrap', 'openssl'),
  () => {
    let cluster: TestCluster;
    let runner: Runner;
    beforeAll(async () => {
      cluster = await startTestCluster();
      runner = cluster.open();
    });
    afterAll(() => cluster?.close());

    const textOf = ({ job }: Workload, path: string): string =>
      readFileSync(join(cluster.jobsRoot, job, path), 'utf8');
    const go = ({ job }: Workload): void =>
      writeFileSync(join(cluster.jobsRoot, job, 'work/go'), '');
    const begun = (work: Workload): Promise<void> =>
      until(() => textOf(work, 'stdout').startsWith('begun\n'), 'the beginning');
    const objects = (plural: string, { job }: Workload): readonly Stored[] =>
      cluster.store.list(plural, `${JOB_LABEL}=${job}`);
    const podOf = (work: Workload, index: number): string => {
      const pod = objects('pods', work).find(
        ({ metadata }) => fieldsOf(metadata['annotations'])[INDEX] === String(index),
      );
      if (pod === undefined) throw new Error(`machine ${index} has no pod`);
      return pod.metadata.name;
    };
    /** Words for the second machine. */
    const THERE = (words: string): string =>
      `$MACHINE_SHELL "$(sed -n '2s/ .*//p' "$MACHINE_HOST_FILE")" '${words}'`;

    describe('the command', () => {
      test('starts once, when all machines are there, and finds them', async () => {
        const work = parallel(
          'echo run >> count; echo "$MACHINE_INDEX of $MACHINE_COUNT, $MACHINE_HOSTS, $OMP_NUM_THREADS"; ' +
            'cat "$MACHINE_HOST_FILE"; ls /planner/machines/here; echo table > table.csv',
          { cores: 4 },
        );
        const name = `planner-${work.job}`;
        expect(await run(runner, work)).toMatchObject({
          kind: 'completed',
          results: expect.arrayContaining([expect.objectContaining({ path: 'work/table.csv' })]),
        });
        expect([textOf(work, 'work/count'), textOf(work, 'stderr')]).toEqual(['run\n', '']);
        expect(textOf(work, 'stdout')).toBe(
          `0 of 2, 0=${name}-0.${name},1=${name}-1.${name}, 1\n` +
            `${name}-0.${name} slots=2\n${name}-1.${name} slots=2\n0\n1\n`,
        );
        expect(await cluster.left(work.job)).toEqual([]);
      });

      test('reaches other machines, with what they print and how they end', async () => {
        const work = parallel(
          `${THERE('echo "here $MACHINE_INDEX"; hostname; echo bad >&2; exit 7')}; echo "code $?"; ` +
            '$MACHINE_SHELL -x elsewhere id; echo "code $?"',
        );
        expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
        expect(textOf(work, 'stdout')).toBe(`here 1\nplanner-${work.job}-1\ncode 7\ncode 255\n`);
        expect(textOf(work, 'stderr')).toBe('bad\nelsewhere is no machine of this job\n');
      });

      test('that fails ends the job with its exit code, and the other machines too', async () => {
        const work = parallel('echo gone wrong >&2; exit 3');
        expect(await run(runner, work)).toMatchObject({
          kind: 'failed',
          code: 'task-failed',
          message: 'the task ended with exit code 3',
          detail: expect.stringContaining('gone wrong'),
        });
        expect(await cluster.left(work.job)).toEqual([]);
      });
    });

    withEngine('Open MPI', mpiMissing(), () => {
      let ring: Ring;
      beforeAll(() => {
        ring = compileRing();
      });
      afterAll(() => ring?.close());

      test('starts a rank for each core of all machines', async () => {
        // All pods are on this machine, where their ranks would mix up their shared memory.
        const work = parallel(
          `export OMPI_MCA_btl=tcp,self; ${UNTIL_GO}; mpirun ./ring; mpirun hostname | sort`,
          { cores: 4, memory: 2000 },
        );
        await runner.submit(work);
        cpSync(ring.program, join(cluster.jobsRoot, work.job, 'work/ring'));
        go(work);
        expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
        const names = [0, 0, 1, 1].map((index) => `planner-${work.job}-${index}\n`);
        expect([textOf(work, 'stdout'), textOf(work, 'stderr')]).toEqual([
          `ring of 4 gave 4\n${names.join('')}`,
          '',
        ]);
      });
    });

    describe('the cluster', () => {
      test('is given numbered pods with the amounts of one machine, and names that go with the job', async () => {
        const made = cluster.server.received.length;
        const asked = parallel(`echo begun; ${UNTIL_GO}`, {
          cores: 3,
          memory: 300,
          scratch: 70,
          wallTime: 40,
        });
        const machine = {
          cores: millicores(1500),
          memory: mebibytes(150),
          gpus: { type: 'urn:a100', count: 1 },
        };
        const work: Workload = {
          ...asked,
          gpus: { type: 'urn:a100', count: 2 },
          allocation: [machine, machine],
        };
        await runner.submit(work);
        const received = cluster.server.received.slice(made);
        expect(received.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Job', 'Service']);
        const amounts = {
          cpu: '1500m',
          memory: '150Mi',
          'ephemeral-storage': '35Mi',
          'nvidia.com/gpu': '1',
        };
        expect(received[1]).toMatchObject({
          spec: {
            completionMode: 'Indexed',
            completions: 2,
            backoffLimit: 0,
            template: {
              spec: {
                subdomain: `planner-${work.job}`,
                activeDeadlineSeconds: 60 + 60 + 40,
                containers: [{ resources: { limits: amounts, requests: amounts } }],
              },
            },
          },
        });
        const [job] = objects('jobs', work);
        const owner = { kind: 'Job', name: `planner-${work.job}`, uid: job?.metadata['uid'] };
        expect(received[2]).toMatchObject({
          metadata: { name: `planner-${work.job}`, ownerReferences: [owner] },
          spec: { clusterIP: 'None', selector: { [JOB_LABEL]: work.job } },
        });
        await begun(work);
        await until(
          () =>
            objects('pods', work).every(({ spec }) => Number(spec['activeDeadlineSeconds']) < 50),
          'the duration of the offer, in all pods',
        );
        go(work);
        expect(await ended(runner, work.job)).toMatchObject({ kind: 'completed' });
      });

      test('ends all machines after the command, and removes the names with the Job, without an executor', async () => {
        const lonely = cluster.open();
        const work = parallel(`echo begun; ${UNTIL_GO}`);
        await lonely.submit(work);
        await begun(work);
        await lonely.close();
        go(work);
        const conditions = (): readonly object[] =>
          listOf(objects('jobs', work)[0]?.status['conditions']);
        const isGone = (): boolean => objects('jobs', work).length === 0;
        // On a busy machine a look that was under way when the executor closed settles the job.
        await until(() => isGone() || conditions().length > 0, 'the end of all machines');
        expect(isGone() ? [{ type: 'Complete' }] : conditions()).toMatchObject([
          { type: 'Complete' },
        ]);
        await cluster.drop('jobs', work.job);
        const left = (): readonly Stored[] =>
          ['pods', 'services'].flatMap((plural) => objects(plural, work));
        await until(() => left().length === 0, 'what the Job owned is gone');
        expect(left()).toEqual([]);
      });

      test('that gives no right to make names is told to the client, and keeps nothing', async () => {
        const work = parallel('echo run >> count');
        const said = 'services is forbidden: User "planner" cannot create resource "services"';
        cluster.server.refuse('services', 403, said);
        expect(await run(runner, work)).toMatchObject({
          kind: 'failed',
          code: 'runner-failed',
          message: `the cluster does not take the Service of the job: ${said}`,
        });
        expect(existsSync(join(cluster.jobsRoot, work.job, 'work/count'))).toBe(false);
        expect(await cluster.left(work.job)).toEqual([]);
      });

      test('that numbers no pods is too old, and that is told', async () => {
        cluster.store.unknown.add('completionMode');
        const work = parallel('echo never');
        const outcome = await run(runner, work).finally(() => cluster.store.unknown.clear());
        expect(outcome).toMatchObject({
          kind: 'failed',
          code: 'runner-failed',
          message:
            'the cluster does not take the Job of the job: parallel jobs need Kubernetes 1.24 or later',
        });
        expect(await cluster.left(work.job)).toEqual([]);
      });

      test('that has room for one machine does not start the command, and the wait has an end', () => {
        const work = parallel('echo never');
        const waits = async (): Promise<void> => {
          expect(await run(cluster.open({ longestWait: seconds(8) }), work)).toMatchObject({
            kind: 'failed',
            code: 'queue-limit-exceeded',
            message: expect.stringMatching(/within 8 s: .*exceeded quota/),
          });
          expect([await cluster.left(work.job), textOf(work, 'stdout')]).toEqual([[], '']);
        };
        return cluster.refusingPods('quota', waits, 1);
      });
    });

    describe('a job', () => {
      test('with more memory on any machine than that machine has is stopped for it', async () => {
        const hog =
          'head -c 50M /dev/zero | tail | sleep 5 & head -c 50M /dev/zero | tail | sleep 5; wait';
        const work = parallel(`echo begun; ${THERE(hog)}; sleep 300`, { memory: 160 });
        expect(await run(runner, work)).toMatchObject({ kind: 'stopped', reason: 'memory' });
        expect([await cluster.left(work.job), await cluster.isAlive(work.job)]).toEqual([
          [],
          false,
        ]);
      });

      test('that is stopped, or over its time, leaves no process on any machine', async () => {
        const script = `echo begun; ${THERE('sleep 300')}`;
        const stopped = parallel(script);
        await runner.submit(stopped);
        await begun(stopped);
        await runner.stop(stopped.job, 'cancelled');
        expect(await ended(runner, stopped.job)).toMatchObject({
          kind: 'stopped',
          reason: 'cancelled',
        });
        const late = parallel(script, { wallTime: 3 });
        expect(await run(runner, late)).toMatchObject({ kind: 'stopped', reason: 'wall-time' });
        for (const { job } of [stopped, late])
          expect([await cluster.left(job), await cluster.isAlive(job)]).toEqual([[], false]);
      });

      test('of an executor that died goes on with the next one, and starts no second time', async () => {
        const first = cluster.open();
        const work = parallel(`echo begun; echo run >> count; ${UNTIL_GO}; ${THERE('echo there')}`);
        await first.submit(work);
        await begun(work);
        await first.close();
        const second = cluster.open();
        await second.submit(work);
        go(work);
        expect(await ended(second, work.job)).toMatchObject({ kind: 'completed' });
        expect([textOf(work, 'work/count'), textOf(work, 'stdout')]).toEqual([
          'run\n',
          'begun\nthere\n',
        ]);
        expect(await cluster.left(work.job)).toEqual([]);
      });

      test.each([0, 1])(
        'whose machine %i somebody removed is lost, and does not start again',
        async (index) => {
          const work = parallel('echo begun; echo run >> count; sleep 300');
          await runner.submit(work);
          await begun(work);
          cluster.store.remove('pods', podOf(work, index));
          expect(await ended(runner, work.job)).toMatchObject({
            kind: 'failed',
            code: 'run-lost',
            transient: true,
          });
          expect([textOf(work, 'work/count'), await cluster.left(work.job)]).toEqual(['run\n', []]);
        },
      );
    });
  },
);
