import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fetchPart,
  fetchResult,
  firstOffer,
  sendAccept,
  sendJob,
} from '../../src/cli/conversation.ts';
import { until } from '../cli/service-process.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';

const TYPE = 'https://www.purl.org/ivoa-net';
function command(script: string) {
  return {
    task: { type: `${TYPE}/task-type/executable`, spec: { command: ['sh', '-c', script] } },
  };
}
function HEAD_AND_WORKERS(head: object = {}, workers: object = {}) {
  return {
    resources: {
      compute: [
        { name: 'head', 'min-cores': 1, 'min-memory': '0.25Gb', ...head },
        { name: 'workers', replicas: 2, 'min-cores': 1, 'min-memory': '0.25Gb', ...workers },
      ],
    },
  };
}

describe('a task on several machines', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: (folder) => ({
        rules: ['rules.yml'],
        defaults: { scratch: '1GiB' },
        offers: { duration: 'PT2M' },
        storage: [{ name: 'disc', type: 'directory', path: join(folder, 'kept'), size: '10GiB' }],
        destinations: {
          here: {
            runner: 'process',
            'task-types': ['executable'],
            cores: 4,
            memory: '4GiB',
            scratch: '10GiB',
          },
        },
      }),
      rules: { destinations: { here: { runner: 'process' } } },
    });
  });
  afterAll(() => service.close());

  const held = async (): Promise<readonly { cores: number; scratch: number }[]> =>
    service.db.database
      .$queryRaw`SELECT cores, scratch_mib::int AS scratch FROM reservation WHERE state = 'FIRM'`;

  test('reserves what all of them need while it runs, and shows the log of each', async () => {
    const offer = firstOffer(
      await service.ask({
        ...command('echo "I am $MACHINE_ITEM"; until [ -e go ]; do sleep 0.1; done'),
        ...HEAD_AND_WORKERS(),
      }),
    );
    await sendAccept(offer);
    const job = await sendJob(offer);
    const id = job.split('/').at(-1) ?? '';
    const log = (machine: number): Promise<string> =>
      readFile(join(service.folder, `jobs/${id}/machine-${machine}/stdout`), 'utf8').catch(
        () => '',
      );
    await until(
      'all run',
      async () =>
        (await log(0)) + (await log(1)) + (await log(2)) ===
          'I am head\nI am workers\nI am workers\n' || undefined,
    );
    await until(
      'the job is executing',
      async () => (await fetchPart(job, 'phase')) === 'EXECUTING' || undefined,
    );
    expect(await held()).toEqual([{ cores: 3000, scratch: 3 * 1024 }]);
    const live = await fetch(`${job}/results/machine-1.stdout`, { headers: { Range: 'bytes=0-' } });
    expect([live.status, await live.text()]).toEqual([206, 'I am workers\n']);
    for (const unknown of ['stdout', 'machine-3.stdout', 'machine-1.work'])
      expect((await fetch(`${job}/results/${unknown}`)).status).toBe(404);
    await fetch(`${job}/phase`, { method: 'POST', body: new URLSearchParams({ PHASE: 'ABORT' }) });
    await until(
      'it is aborted',
      async () => (await fetchPart(job, 'phase')) === 'ABORTED' || undefined,
    );
    expect(await held()).toEqual([]);
    expect(await fetchResult(job, 'machine-2.stdout')).toBe('I am workers\n');
  });

  test('keeps what one of them writes, and shows it to the others the next time', async () => {
    const storage = (more: object) => [
      { name: 'kept', type: `${TYPE}/storage-type/persistent`, ...more },
    ];
    const volume = (mode: string) => ({ volumes: [{ name: 'kept', path: 'kept', mode }] });
    const asked = (script: string, head: object, workers: object, more: object) => {
      const { resources } = HEAD_AND_WORKERS(head, workers);
      return { ...command(script), resources: { ...resources, storage: storage(more) } };
    };
    const first = await service.run(
      asked(
        '[ $MACHINE_INDEX = 0 ] && echo Vega > kept/star; true',
        volume('rw'),
        {},
        { size: '1Gb', lifetime: 'P1D' },
      ),
    );
    expect(first.last).toBe('COMPLETED');
    const objectid = /objectid: (\S+)/.exec(first.answer)?.[1];
    const second = await service.run(
      asked('cat kept/star', volume('r'), volume('r'), { objectid }),
    );
    expect(second.last).toBe('COMPLETED');
    for (const machine of [0, 1, 2])
      expect(await fetchResult(second.job, `machine-${machine}.stdout`)).toBe('Vega\n');
    const refused = await service.ask(asked('true', volume('r'), volume('rw'), { objectid }));
    expect(refused).toMatch(
      /result: ["']?NO[^]*code: volume-written-by-several[^]*path: resources\.compute\[1\]\.volumes\[0\]\.mode/,
    );
  });

  test('fails as a whole when one of them does, and says which', async () => {
    const { last, job } = await service.run({
      ...command('[ $REPLICA_INDEX = 1 ] && exit 7; exec sleep 600'),
      ...HEAD_AND_WORKERS(),
    });
    expect([last, await fetchPart(job, 'error')]).toEqual([
      'ERROR',
      expect.stringContaining('machine-2: the task ended with exit code 7'),
    ]);
  });
});
