import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchPart, firstOffer, sendAccept, sendJob } from '../../../src/cli/conversation.ts';
import { until } from '../../cli/service-process.ts';
import { startSlurmService, type SlurmService } from './service.ts';
import { fillNodes, JOB_USER, slurmMissing } from './slurm.ts';
import { withEngine } from '../summary.ts';

withEngine('a slurm cluster that keeps free what was accepted', slurmMissing(), () => {
  let service: SlurmService;
  beforeAll(async () => {
    service = await startSlurmService({ guarantee: 'reservation' });
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
