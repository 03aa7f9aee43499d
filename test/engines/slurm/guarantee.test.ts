import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchPart, firstOffer, sendAccept, sendJob } from '../../../src/cli/conversation.ts';
import { readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import { until } from '../../cli/service-process.ts';
import { startSlurmService, type SlurmService } from './service.ts';
import { fillNodes, JOB_USER, slurmMissing } from './slurm.ts';
import { withEngine } from '../summary.ts';

withEngine('a slurm cluster that keeps free what was accepted', slurmMissing(), () => {
  let service: SlurmService;
  beforeAll(async () => {
    service = await startSlurmService({ guarantee: 'reservation' }, { parallel: true });
  });
  afterAll(() => service?.close());

  const reserved = async (): Promise<readonly string[]> =>
    [
      ...(await service.cluster.run('scontrol', '--oneliner', 'show', 'reservation')).matchAll(
        /ReservationName=vo-(\S+) .*CoreCnt=(\d+) /g,
      ),
    ].map(([, id, cores]) => `${id}: ${cores}`);
  /** Accepts a job of ours for this many seconds from now. @returns its URL */
  const accepted = async (seconds: number): Promise<string> => {
    const start = new Date(Date.now() + seconds * 1000).toISOString();
    const offer = firstOffer(
      (
        await service.ask(
          {
            time: { start: `${start}/PT5M`, duration: 'PT2M' },
            resources: { compute: [{ 'min-cores': 4, 'max-cores': 4 }] },
          },
          'echo done; sleep 2',
        )
      ).text,
    );
    await sendAccept(offer);
    return sendJob(offer);
  };
  const idOf = (job: string): string => job.split('/').at(-1) ?? '';
  const fill = async (): Promise<string> => {
    await fillNodes(service.cluster, '--job-name=others');
    return 'others';
  };
  const others = async (): Promise<readonly string[]> =>
    (await service.cluster.run('squeue', '--noheader', '--name=others', '--format=%T'))
      .trim()
      .split('\n')
      .toSorted();

  test('starts a job at its time although others fill it, and frees the cores afterwards', async () => {
    const job = await accepted(60);
    await until(
      'its cores are reserved',
      async () => (await reserved()).includes(`${idOf(job)}: 4`) || undefined,
    );
    await fill();
    await until(
      'one node is full, and of the other four cores are kept',
      async () => (await others()).join() === 'PENDING,RUNNING' || undefined,
    );
    expect(await fetchPart(job, 'phase')).toBe('QUEUED');
    await until(
      'the job is over',
      async () => (await fetchPart(job, 'phase')) === 'COMPLETED' || undefined,
    );
    expect(await fetchPart(job, 'results/stdout')).toBe('done\n');
    await until('nothing is reserved', async () => (await reserved()).length === 0 || undefined);
    await until(
      'the others have all',
      async () => (await others()).join() === 'RUNNING,RUNNING' || undefined,
    );
  });

  test('reserves for each machine of a job, and runs each in its own reservation', async () => {
    const { cluster } = service;
    await cluster.run('scancel', '--name=others');
    const start = new Date(Date.now() + 60_000).toISOString();
    const compute = [
      { name: 'head', 'min-cores': 2, 'max-cores': 2 },
      { name: 'worker', 'min-cores': 4, 'max-cores': 4 },
    ];
    const offer = firstOffer(
      (
        await service.ask(
          { time: { start: `${start}/PT5M`, duration: 'PT2M' }, resources: { compute } },
          'echo "$MACHINE_ITEM"; sleep 5',
        )
      ).text,
    );
    await sendAccept(offer);
    const job = await sendJob(offer);
    const id = idOf(job);
    await until(
      'the cores of both are reserved',
      async () => (await reserved()).toSorted().join() === `${id}-0: 2,${id}-1: 4` || undefined,
    );
    const where = async (): Promise<string> =>
      (
        await cluster.run(
          'squeue',
          '--noheader',
          '--states=RUNNING',
          '--sort=j',
          '--format=%j in %v',
        )
      ).trim();
    await until(
      'both run, each in its own',
      async () =>
        (await where()) === `vo-${id}-0 in vo-${id}-0\nvo-${id}-1 in vo-${id}-1` || undefined,
    );
    await until(
      'the job is over',
      async () => (await fetchPart(job, 'phase')) === 'COMPLETED' || undefined,
    );
    expect([
      await fetchPart(job, 'results/machine-0.stdout'),
      await fetchPart(job, 'results/machine-1.stdout'),
    ]).toEqual(['head\n', 'worker\n']);
    await until('nothing is reserved', async () => (await reserved()).length === 0 || undefined);
  });

  test('keeps all nodes of a parallel job free, which goes on after kill -9 of its executor', async () => {
    const { cluster } = service;
    const start = new Date(Date.now() + 60_000).toISOString();
    const script =
      'echo begin; srun --ntasks=2 --ntasks-per-node=1 sh -c ' +
      `'echo "$SLURMD_NODENAME"; touch "began-$SLURMD_NODENAME"; until [ -e go ]; do sleep 0.1; done'`;
    const answer = await service.ask({
      task: {
        type: 'https://www.purl.org/ivoa-net/task-type/executable',
        spec: { command: ['sh', '-c', script], parallel: 'mpi' },
      },
      time: { start: `${start}/PT5M`, duration: 'PT5M' },
      resources: { compute: [{ replicas: 2, 'min-cores': 4, 'max-cores': 4 }] },
    });
    const offer = firstOffer(answer.text);
    await sendAccept(offer);
    const job = await sendJob(offer);
    const id = idOf(job);
    await until(
      'four cores of both nodes are reserved',
      async () => (await reserved()).join() === `${id}: 8` || undefined,
    );
    await fill();
    await until(
      'the others have no node',
      async () => (await others()).join() === 'PENDING,PENDING' || undefined,
    );
    const work = join(service.folder, 'jobs', id, 'work');
    await until(
      'it runs on both nodes',
      () => cluster.nodes.every((node) => existsSync(join(work, `began-${node}`))) || undefined,
    );
    const killed = await until('the executor runs', executor);
    process.kill(killed, 'SIGKILL');
    await until('another one runs', () => {
      const next = executor();
      return next === undefined || next === killed ? undefined : next;
    });
    writeFileSync(join(work, 'go'), '');
    await until(
      'the job is over',
      async () => (await fetchPart(job, 'phase')) === 'COMPLETED' || undefined,
    );
    expect((await fetchPart(job, 'results/stdout')).trim().split('\n').toSorted()).toEqual(
      ['begin', ...cluster.nodes].toSorted(),
    );
    const sent = await cluster.run(
      'squeue',
      '--noheader',
      '--states=all',
      `--name=vo-${id}`,
      '--format=%D in %v',
    );
    expect(sent).toBe(`2 in vo-${id}\n`);
    await until(
      'the others have all',
      async () => (await others()).join() === 'RUNNING,RUNNING' || undefined,
    );
  });

  test('frees what an executor left behind, and leaves alone what is not ours', async () => {
    const { cluster, db } = service;
    await cluster.run('scancel', '--name=others');
    const [over] = await db.database.$queryRaw<
      { id: string }[]
    >`SELECT id FROM job WHERE ended_at IS NOT NULL`;
    const stranger = '01990000-0000-7000-8000-000000000000';
    for (const id of [over?.id, stranger]) {
      await until('it is reserved', () =>
        cluster
          .run(
            'scontrol',
            'create',
            'reservation',
            `reservationname=vo-${id}`,
            'starttime=now+600',
            'duration=5',
            `users=${JOB_USER}`,
            'partitionname=main',
            'nodecnt=1',
            'corecnt=1',
          )
          .then(
            () => true,
            () => undefined,
          ),
      );
    }
    await until(
      'ours is gone',
      async () => (await reserved()).join() === `${stranger}: 1` || undefined,
    );
    expect(await reserved()).toEqual([`${stranger}: 1`]);
    await cluster.run('scontrol', 'delete', `ReservationName=vo-${stranger}`);
  });

  test('that has no room for a reservation runs the job from its queue', async () => {
    const { cluster } = service;
    await fill();
    await until(
      'it is full',
      async () => (await others()).join() === 'RUNNING,RUNNING' || undefined,
    );
    const job = await accepted(8);
    await until(
      'its time has come',
      async () =>
        (
          await cluster.run('squeue', '--noheader', `--name=vo-${idOf(job)}`, '--format=%T')
        ).includes('PENDING') || undefined,
    );
    expect(await reserved()).toEqual([]);
    await cluster.run('scancel', '--name=others');
    await until(
      'the job is over',
      async () => (await fetchPart(job, 'phase')) === 'COMPLETED' || undefined,
    );
  });
});

/** The executor that this process started. */
function executor(): number | undefined {
  return readProcesses().find(({ pid, parent }) => parent === process.pid && isExecutor(pid))?.pid;
}

function isExecutor(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('workers/executor.ts');
  } catch {
    return false;
  }
}
