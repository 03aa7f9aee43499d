import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import { startWholeService, type Told, type WholeService } from '../../harness/whole-service.ts';
import { JOB_USER, slurmMissing, startCluster, type Cluster } from './slurm.ts';
import { withEngine } from '../summary.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';

withEngine('a conversation from the question to the results, with slurm', slurmMissing(), () => {
  let cluster: Cluster;
  let service: WholeService;
  beforeAll(async () => {
    cluster = await startCluster();
    service = await startWholeService({
      site: (folder) => ({
        rules: ['rules.yml'],
        offers: { duration: 'PT10M' },
        storage: [{ name: 'kept', type: 'directory', path: join(folder, 'kept'), size: '10GiB' }],
        destinations: {
          cluster: {
            runner: 'slurm',
            'task-types': ['executable', 'python-program'],
            cores: 8,
            memory: '8GiB',
            scratch: '80GiB',
            gpus: { 'https://example.org/gpu': 2 },
            slurm: {
              conf: cluster.conf,
              partition: 'main',
              user: JOB_USER,
              python: '/usr/bin/python3',
            },
          },
        },
      }),
      rules: { tools: { default: { mem: 1 } }, destinations: { cluster: { runner: 'slurm' } } },
    });
  });
  afterAll(async () => {
    await service?.close();
    await cluster?.close();
  });

  const ask = (type: string, spec: object, resources: object = {}): Promise<string> =>
    service.ask({ task: { type: `${TYPE}/${type}`, spec }, resources });
  const run = async (type: string, spec: object, resources: object = {}): Promise<Told> =>
    service.follow(await ask(type, spec, resources));

  test('a program is asked for, offered, accepted, run on a node, and its files are the results', async () => {
    const { job, last } = await run('executable', {
      command: ['sh', '-c', 'echo "$0 $GREETING"; echo "1,2" > table.csv; echo oops >&2', '$(id)'],
      environment: { GREETING: 'hello' },
    });
    expect([last, await fetchPart(job, '')]).toEqual([
      'COMPLETED',
      expect.stringContaining('table.csv'),
    ]);
    expect(await fetchResult(job, 'stdout')).toBe('$(id) hello\n');
    expect(await fetchResult(job, 'stderr')).toBe('oops\n');
    expect(await fetchResult(job, 'table.csv')).toBe('1,2\n');
  });

  test('a job that is over says what it used on its node', async () => {
    const loop = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
    const { job, last } = await run('executable', { command: ['sh', '-c', loop] });
    expect(last).toBe('COMPLETED');
    const document = await fetchPart(job, '');
    expect(document).toMatch(/<wallTime>[0-9.]+<\/wallTime>/);
    const [, processor] = /<processorTime>([0-9.]+)<\/processorTime>/.exec(document) ?? [];
    expect(Number(processor)).toBeGreaterThan(0.02);
  });

  test('a Python program runs there too', async () => {
    const { job, last } = await run('python-program', {
      source: 'import sys\nprint("+".join(sys.argv[1:]))',
      arguments: ['a', 'b c'],
    });
    expect([last, await fetchResult(job, 'stdout')]).toEqual(['COMPLETED', 'a+b c\n']);
  });

  test('a program that fails ends in ERROR with its exit code and the end of its stderr', async () => {
    const { job, last } = await run('executable', {
      command: ['sh', '-c', 'echo no such galaxy >&2; exit 3'],
    });
    expect(last).toBe('ERROR');
    expect(await fetchPart(job, 'error')).toMatch(/^task-failed: .*3[^]*no such galaxy/);
  });

  test('what one job leaves in a persistent volume, the next one finds', async () => {
    const type = 'https://www.purl.org/ivoa-net/storage-type/persistent';
    const volumes = [{ name: 'survey', path: 'survey', mode: 'rw' }];
    const first = await run(
      'executable',
      { command: ['sh', '-c', 'echo found > survey/galaxies'] },
      {
        compute: [{ name: 'one', volumes }],
        storage: [{ name: 'survey', type, size: '1GiB', lifetime: 'P1D' }],
      },
    );
    expect(first.last).toBe('COMPLETED');
    const objectid = /objectid: (\S+)/.exec(first.answer)?.[1];
    const second = await run(
      'executable',
      { command: ['cat', 'survey/galaxies'] },
      {
        compute: [{ name: 'two', volumes: [{ name: 'survey', path: 'survey', mode: 'r' }] }],
        storage: [{ name: 'survey', type, objectid }],
      },
    );
    expect([second.last, await fetchResult(second.job, 'stdout')]).toEqual([
      'COMPLETED',
      'found\n',
    ]);
  });
});
