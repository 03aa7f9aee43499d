import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { fetchPart, fetchResult } from '../../../src/cli/conversation.ts';
import { startWholeService, type Told, type WholeService } from '../../harness/whole-service.ts';
import { openContainerEngine, PACKAGES, type ContainerEngine } from './container.ts';
import { IMAGE, PYTHON_IMAGE } from './images.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';

for (const name of ['podman', 'docker'] as const)
  withEngine(
    `a conversation from the question to the results, with ${name}`,
    needs(...PACKAGES[name]),
    () => conversation(name),
  );

function conversation(name: ContainerEngine['name']): void {
  let engine: ContainerEngine;
  let service: WholeService;
  beforeAll(async () => {
    engine = await openContainerEngine(name, { python: true });
    service = await startWholeService({
      site: (folder) => ({
        rules: ['rules.yml'],
        offers: { duration: 'PT10M' },
        fetch: { registries: [engine.registry] },
        storage: [{ name: 'kept', type: 'directory', path: join(folder, 'kept'), size: '10GiB' }],
        destinations: {
          containers: {
            runner: 'container',
            'task-types': ['oci-container', 'executable', 'python-program'],
            cores: 4,
            memory: '8GiB',
            scratch: '80GiB',
            container: {
              socket: engine.socket,
              images: {
                executable: `${engine.registry}/${IMAGE}`,
                'python-program': `${engine.registry}/${PYTHON_IMAGE}`,
              },
            },
          },
        },
      }),
      rules: {
        destinations: { containers: { runner: 'container' } },
        tools: { 'oci-container/.*/ci/.*': { mem: 1 } },
      },
    });
  });
  afterAll(async () => {
    await service?.close();
    await engine?.close();
  });

  const ask = (type: string, spec: object, resources: object = {}): Promise<string> =>
    service.ask({ task: { type: `${TYPE}/${type}`, spec }, resources });
  const run = async (type: string, spec: object, resources: object = {}): Promise<Told> =>
    service.follow(await ask(type, spec, resources));

  test('a container of the draft is asked for, offered, accepted and run, and its files are results', async () => {
    const { job, last, answer } = await run('oci-container', {
      arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
      repo: engine.registry,
      image: IMAGE,
      command: ['sh', '-c', 'echo hello; echo "1,2" > table.csv; echo oops >&2'],
    });
    expect(answer).toContain(`repo: ${engine.registry}`);
    expect(answer).toContain('max-memory: 1Gb');
    expect([last, await fetchPart(job, '')]).toEqual([
      'COMPLETED',
      expect.stringContaining('table.csv'),
    ]);
    expect(await fetchResult(job, 'stdout')).toBe('hello\n');
    expect(await fetchResult(job, 'stderr')).toBe('oops\n');
    expect(await fetchResult(job, 'table.csv')).toBe('1,2\n');
  });

  test('a program and a Python program run in the images of the site', async () => {
    const program = await run('executable', {
      command: ['sh', '-c', 'echo "$0 $GREETING"', '$(id)'],
      environment: { GREETING: 'hello' },
    });
    expect(program.last).toBe('COMPLETED');
    expect(await fetchResult(program.job, 'stdout')).toBe('$(id) hello\n');
    const python = await run('python-program', {
      source: 'import sys\nprint("+".join(sys.argv[1:]))',
      arguments: ['a', 'b c'],
    });
    expect(python.last).toBe('COMPLETED');
    expect(await fetchResult(python.job, 'stdout')).toBe('a+b c\n');
  });

  test('a container that fails ends in ERROR with its exit code and the end of its stderr', async () => {
    const { job, last } = await run('oci-container', {
      image: `${engine.registry}/${IMAGE}`,
      command: ['sh', '-c', 'echo no such galaxy >&2; exit 3'],
    });
    expect(last).toBe('ERROR');
    expect(await fetchPart(job, 'error')).toMatch(/^task-failed: .*3[^]*no such galaxy/);
  });

  test('what one container leaves in a persistent volume, the next one finds', async () => {
    const type = 'https://www.purl.org/ivoa-net/storage-type/persistent';
    const volumes = [{ name: 'survey', path: '/survey', mode: 'rw' }];
    const first = await run(
      'oci-container',
      {
        image: `${engine.registry}/${IMAGE}`,
        command: ['sh', '-c', 'echo found > /survey/galaxies'],
      },
      {
        compute: [{ name: 'one', volumes }],
        storage: [{ name: 'survey', type, size: '1GiB', lifetime: 'P1D' }],
      },
    );
    expect(first.last).toBe('COMPLETED');
    const objectid = /objectid: (\S+)/.exec(first.answer)?.[1];
    const second = await run(
      'oci-container',
      { image: `${engine.registry}/${IMAGE}`, command: ['cat', '/survey/galaxies'] },
      {
        compute: [{ name: 'two', volumes: [{ name: 'survey', path: '/survey', mode: 'r' }] }],
        storage: [{ name: 'survey', type, objectid }],
      },
    );
    expect([second.last, await fetchResult(second.job, 'stdout')]).toEqual([
      'COMPLETED',
      'found\n',
    ]);
  });

  test('another registry, another architecture and a network are a NO with the reason', async () => {
    const answer = await ask('oci-container', { image: 'ghcr.io/a/b' });
    expect(answer).toMatch(/result: ["']?NO/);
    expect(answer).toContain('code: url-forbidden');
    const other = await ask('oci-container', {
      image: `${engine.registry}/${IMAGE}`,
      arch: process.arch === 'arm64' ? 'amd64' : 'arm64',
      network: 'outbound',
    });
    expect(other).toContain('code: arch-not-here');
    expect(other).toContain('path: task.spec.arch');
    expect(other).toContain('code: network-not-here');
  });
}
