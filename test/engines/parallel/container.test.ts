import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  sendAccept,
  sendJob,
} from '../../../src/cli/conversation.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { until } from '../../runners/workloads.ts';
import { openContainerEngine, PACKAGES, type ContainerEngine } from '../container/container.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { MPI_IMAGE, pushMpi } from './image.ts';
import { ranksOf } from './ranks.ts';
import { compileRing, mpiMissing, type Ring } from './ring.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';

for (const name of ['podman', 'docker'] as const)
  withEngine(`parallel jobs, with ${name}`, mpiMissing() ?? needs(...PACKAGES[name]), () =>
    parallelJobs(name),
  );

function parallelJobs(name: ContainerEngine['name']): void {
  let engine: ContainerEngine;
  let service: WholeService;
  let ring: Ring;
  let program: string;
  beforeAll(async () => {
    ring = compileRing();
    engine = await openContainerEngine(name);
    program = pushMpi(engine, ring);
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        offers: { duration: 'PT10M' },
        fetch: { registries: [engine.registry] },
        destinations: {
          containers: {
            runner: 'container',
            parallel: true,
            'task-types': ['oci-container', 'executable'],
            cores: 8,
            memory: '8GiB',
            scratch: '80GiB',
            container: {
              socket: engine.socket,
              images: { executable: `${engine.registry}/${MPI_IMAGE}` },
            },
          },
        },
      },
      rules: {
        destinations: { containers: { runner: 'container' } },
        tools: { default: { mem: 1 } },
      },
    });
  });
  afterAll(async () => {
    await service?.close();
    await engine?.close();
    ring?.close();
  });

  const ask = (spec: object, type = 'oci-container', more: object = {}): Promise<string> =>
    service.ask({
      ...more,
      task: {
        type: `${TYPE}/${type}`,
        spec: {
          ...(type === 'oci-container' && { image: `${engine.registry}/${MPI_IMAGE}` }),
          ...spec,
          parallel: 'mpi',
        },
      },
      resources: {
        compute: [
          {
            name: 'head',
            'min-cores': 1,
            'max-cores': 1,
            'min-memory': '512MiB',
            'max-memory': '512MiB',
          },
          {
            replicas: 2,
            'min-cores': 1.5,
            'max-cores': 1.5,
            'min-memory': '512MiB',
            'max-memory': '512MiB',
          },
        ],
      },
    });

  test.each(['oci-container', 'executable'])(
    'one container has all machines of the ask, as %s',
    async (type) => {
      const script = `mpirun ${program}; echo "$MACHINE_COUNT $MACHINE_HOSTS"; cat "$MACHINE_HOST_FILE"`;
      const { job, last } = await service.follow(
        await ask({ command: ['sh', '-c', script] }, type),
      );
      expect([last, await fetchResult(job, 'stderr')]).toEqual(['COMPLETED', '']);
      expect(await fetchResult(job, 'stdout')).toBe(
        'ring of 3 gave 3\n3 0=localhost,1=localhost,2=localhost\nlocalhost slots=3\n',
      );
    },
  );

  test('the time limit ends all ranks, and is told', async () => {
    const command = ['mpirun', program, 'never'];
    const { job, last } = await service.follow(
      await ask({ command }, 'oci-container', { time: { duration: 'PT4S' } }),
    );
    expect([last, await fetchPart(job, 'error')]).toEqual([
      'ABORTED',
      expect.stringMatching(/^wall-time-exceeded: stopped after 4 s/),
    ]);
    expect(ranksOf({ program })).toEqual([]);
  });

  test('the memory of all machines together is the limit, and that is told', async () => {
    const { job, last } = await service.follow(
      await ask({
        command: ['mpirun', '-n', '2', 'sh', '-c', 'head -c 1500000000 /dev/zero | tail'],
      }),
    );
    expect([last, await fetchPart(job, 'error')]).toEqual([
      'ERROR',
      expect.stringMatching(/^memory-exceeded: .*1536 MiB/),
    ]);
  });

  test('an aborted job leaves no rank', async () => {
    const offer = firstOffer(await ask({ command: ['mpirun', program, 'never'] }));
    await sendAccept(offer);
    const job = await sendJob(offer);
    await until(() => ranksOf({ program }).length === 3, 'all ranks run');
    await fetch(`${job}/phase`, { method: 'POST', body: new URLSearchParams({ PHASE: 'ABORT' }) });
    await until(
      async () => (await (await fetch(`${job}/phase`)).text()).trim() === 'ABORTED',
      'the job is aborted',
    );
    expect(ranksOf({ program })).toEqual([]);
  });
}
