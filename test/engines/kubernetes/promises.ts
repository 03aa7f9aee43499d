import { beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import type { ContainerTask } from '../../../src/tasks/task.ts';
import { seconds } from '../../../src/words/units.ts';
import { ended, shell, until, workload } from '../../runners/workloads.ts';
import { imageOf } from './cluster.ts';
import type { ClusterSubject } from './subject.ts';

/**
 * Promises of the runner about a cluster beside the contract of all runners, for the tests' small
 * API server and for a real cluster.
 *
 * @param patience milliseconds within which short jobs begin and end
 */
export function clusterPromises(subjectOf: () => ClusterSubject, patience = 240_000): void {
  let subject: ClusterSubject;
  let runner: Runner;
  beforeAll(() => {
    subject = subjectOf();
    runner = subject.open();
  });

  const run = async (work: Workload, by = runner): Promise<Outcome> => {
    await by.submit(work);
    return ended(by, work.job, patience);
  };
  const textOf = (work: Workload, file: string): string =>
    readFileSync(join(subject.jobsRoot, work.job, file), 'utf8');
  const oci = (
    more: Partial<ContainerTask> = {},
    asked: Parameters<typeof workload>[1] = {},
  ): Workload =>
    workload(
      {
        type: 'oci-container',
        image: imageOf(subject.image),
        architectures: [],
        entrypoint: undefined,
        command: undefined,
        environment: {},
        network: 'none',
        ...more,
      },
      asked,
    );
  const begun = (work: Workload): Promise<void> =>
    until(() => textOf(work, 'stdout').startsWith('begun\n'), 'the beginning');

  test('nothing is left in the cluster once a job has ended, and its files stay', async () => {
    const work = shell('echo x');
    await run(work);
    expect(await subject.left(work.job)).toEqual([]);
    expect(textOf(work, 'stdout')).toBe('x\n');
  });

  test('a pod has no rights, and writes only where it may', async () => {
    const work = shell(
      'id -u; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; echo x > /etc/x; echo y > ' +
        '/usr/y; echo z > z; echo t > /tmp/t',
    );
    expect(await run(work)).toMatchObject({ kind: 'completed' });
    const [uid, ...rights] = textOf(work, 'stdout').trim().split('\n');
    expect([Number(uid) > 0, rights.map((line) => line.split(/\s+/)).toSorted()]).toEqual([
      true,
      [
        ['CapEff:', '0000000000000000'],
        ['NoNewPrivs:', '1'],
      ],
    ]);
    expect(textOf(work, 'stderr').match(/Read-only file system/g)).toHaveLength(2);
    expect(textOf(work, 'work/z')).toBe('z\n');
  });

  describe('a container of the client', () => {
    test('has its output in the log of the cluster, which is copied while it runs', async () => {
      const work = oci({
        entrypoint: ['sh'],
        command: [
          '-c',
          String.raw`echo begun; while [ ! -e go ]; do sleep 0.1; done; printf "a\000\377b"`,
        ],
      });
      await runner.submit(work);
      await begun(work);
      expect(await runner.look(work.job)).toEqual({ state: 'running' });
      writeFileSync(join(subject.jobsRoot, work.job, 'work/go'), '');
      const outcome = await ended(runner, work.job, patience);
      expect(outcome).toMatchObject({
        kind: 'completed',
        results: expect.arrayContaining([
          expect.objectContaining({ id: 'stdout', size: 10 }),
          expect.objectContaining({ id: 'stderr', size: 0 }),
        ]),
      });
      expect([...readFileSync(join(subject.jobsRoot, work.job, 'stdout'))].slice(6)).toEqual([
        97, 0, 255, 98,
      ]);
    });

    test('keeps all of its log, to the last byte of what it prints at its end', async () => {
      const work = oci(
        {
          entrypoint: [
            'sh',
            '-c',
            'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); echo "line $i of a long log, whose ' +
              'last one counts as much as its first"; done; printf end',
          ],
        },
        { scratch: 100 },
      );
      expect(await run(work)).toMatchObject({ kind: 'completed' });
      const lines = textOf(work, 'stdout').split('\n');
      expect([lines.length, lines.at(-2), lines.at(-1)]).toEqual([
        200_001,
        'line 200000 of a long log, whose last one counts as much as its first',
        'end',
      ]);
    });

    test('runs the command of its image by default', async () => {
      expect(await run(oci())).toMatchObject({ kind: 'completed' });
    });

    test('that prints more than its scratch space is stopped', async () => {
      expect(
        await run(
          oci(
            { entrypoint: ['sh', '-c', 'head -c 20000000 /dev/zero; sleep 600'] },
            { scratch: 5 },
          ),
        ),
      ).toMatchObject({ kind: 'stopped', reason: 'output' });
    });

    test('whose program does not exist fails the task, in the words of the node', async () => {
      expect(await run(oci({ entrypoint: ['/no/such'] }))).toMatchObject({
        kind: 'failed',
        code: 'task-failed',
        message: expect.stringContaining('/no/such'),
        transient: false,
      });
    });

    test('whose image does not exist ends with the words of the registry', async () => {
      const work = oci({ image: imageOf(subject.noImage) });
      expect(await run(work)).toMatchObject({
        kind: 'failed',
        code: 'fetch-failed',
        message: expect.stringContaining(subject.noImage),
        transient: false,
      });
      expect(await subject.left(work.job)).toEqual([]);
    });

    test('that is killed for its memory says so, and other exit codes stay as they are', async () => {
      expect(
        await run(
          oci(
            {
              entrypoint: [
                'sh',
                '-c',
                'x=$(head -c 400000000 /dev/zero | tr "\\0" a); echo ${#x}; exit 1',
              ],
            },
            { memory: 64 },
          ),
        ),
      ).not.toMatchObject({ kind: 'completed' });
      expect(await run(oci({ entrypoint: ['sh', '-c', 'exit 42'] }))).toMatchObject({
        kind: 'failed',
        message: 'the task ended with exit code 42',
      });
      expect(
        await run(oci({ entrypoint: ['sh', '-c', 'kill -9 $$; sleep 1; exit 137'] })),
      ).toMatchObject({ kind: 'failed', message: 'the task ended with signal SIGKILL' });
    });

    test('has its volumes where the ask says, and cannot write to read-only ones', async () => {
      const volumes = [
        { name: 'data', path: '/data', mode: 'rw' },
        { name: 'in', path: '/data/in', mode: 'r' },
        { name: 'below', path: 'x/y', mode: 'rw' },
      ] as const;
      const work = oci(
        {
          entrypoint: [
            'sh',
            '-c',
            'echo 1 > /data/a; echo 2 > /job/x/y/b; env | grep VOLUME | sort; echo no > /data/in/c; :',
          ],
        },
        { volumes },
      );
      expect(await run(work)).toMatchObject({
        kind: 'completed',
        results: expect.arrayContaining([expect.objectContaining({ path: 'work/x/y/b' })]),
      });
      expect(textOf(work, 'stdout')).toMatch(
        /^VOLUME_BELOW=\/job\/x\/y\nVOLUME_DATA=\/data\nVOLUME_IN=\/data\/in\n/,
      );
      expect(textOf(work, 'volumes/data/a')).toBe('1\n');
      expect(existsSync(join(subject.jobsRoot, work.job, 'volumes/in/c'))).toBe(false);
    });
  });

  describe('a job', () => {
    test("that no node takes is given up after the site's wait, with the reason", async () => {
      const impatient = subject.open({
        longestWait: seconds(2),
        nodeSelector: { 'execution-planner.test/no-such-node': 'yes' },
      });
      const work = shell('echo never');
      await impatient.submit(work);
      expect(await impatient.look(work.job)).toEqual({ state: 'queued' });
      expect(await ended(impatient, work.job, patience)).toMatchObject({
        kind: 'failed',
        code: 'queue-limit-exceeded',
        message: expect.stringMatching(/within 2 s: .*nodes? .*available/),
      });
      expect(await subject.left(work.job)).toEqual([]);
    });

    test('whose pod does not fit the quota waits, and is given up with the words of the quota', () =>
      subject.refusingPods('quota', async () => {
        const impatient = subject.open({ longestWait: seconds(8) });
        const work = shell('echo never');
        expect(await run(work, impatient)).toMatchObject({
          kind: 'failed',
          code: 'queue-limit-exceeded',
          message: expect.stringMatching(/within 8 s: .*exceeded quota/),
          transient: true,
        });
        expect(await subject.left(work.job)).toEqual([]);
      }));

    test('whose pod can never be admitted fails before the wait is over, in the words of the cluster', () =>
      subject.refusingPods('limits', async () => {
        const work = shell('echo never');
        expect(await run(work, subject.open({ longestWait: seconds(3600) }))).toMatchObject({
          kind: 'failed',
          code: 'runner-failed',
          message: expect.stringMatching(
            /does not take the pod of the job: .*maximum memory usage per Container is 1Mi/,
          ),
          transient: false,
        });
        expect(await subject.left(work.job)).toEqual([]);
      }));

    test('without an executor is ended by the cluster when its duration is over', async () => {
      const lonely = subject.open({ pullLimit: seconds(600) });
      const work = shell('echo begun; sleep 300', { wallTime: 20 });
      await lonely.submit(work);
      await begun(work);
      await until(
        async () => (await lonely.look(work.job)).state === 'running',
        'the run that was seen',
      );
      // A round of the runner lowers the deadline, which passes only then.
      await new Promise((resolve) => {
        setTimeout(resolve, 3000);
      });
      await lonely.close();
      await until(async () => !(await subject.isAlive(work.job)), 'the end of the job');
      expect(await ended(subject.open(), work.job, patience)).toMatchObject({
        kind: 'stopped',
        reason: 'wall-time',
      });
    });

    test.each(['jobs', 'pods'] as const)(
      'whose %s was removed from the cluster by somebody is lost, and does not start again',
      async (what) => {
        const work = shell('echo begun; echo run >> count; sleep 600');
        await runner.submit(work);
        await begun(work);
        await subject.drop(what, work.job);
        expect(await ended(runner, work.job, patience)).toMatchObject({
          kind: 'failed',
          code: 'run-lost',
          transient: true,
        });
        // An old cluster starts another pod before anybody notices the loss of the first.
        const once = what === 'jobs' || subject.countsRemoved;
        expect([once ? textOf(work, 'work/count') : 'run\n', await subject.left(work.job)]).toEqual(
          ['run\n', []],
        );
      },
    );
  });
}
