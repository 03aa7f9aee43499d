import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchResult } from '../../../src/cli/conversation.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { openContainerEngine, PACKAGES, type ContainerEngine } from './container.ts';
import { PYTHON_IMAGE } from './images.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/python-program';
const NONE = `sha256:${'0'.repeat(64)}`;

const missing = needs(...PACKAGES.podman, 'python3-numpy');

withEngine('environments that are images, with podman', missing, () => {
  let engine: ContainerEngine;
  let service: WholeService;
  beforeAll(async () => {
    engine = await openContainerEngine('podman', { python: true, packages: ['numpy'] });
    const [path = '', tag = ''] = PYTHON_IMAGE.split(':');
    const image = `${engine.registry}/${path}@${await digestOf(engine.registry, path, tag)}`;
    const destination = {
      runner: 'container',
      'task-types': ['python-program'],
      cores: 4,
      memory: '8GiB',
      scratch: '80GiB',
      container: { socket: engine.socket },
    };
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        quotas: [],
        environments: { science: { image }, gone: { image: `${engine.registry}/${path}@${NONE}` } },
        destinations: {
          containers: { ...destination, environments: ['science'] },
          others: { ...destination, environments: ['gone'] },
          unnamed: {
            ...destination,
            container: { socket: engine.socket, images: { 'python-program': image } },
          },
        },
      },
      rules: {
        tools: { default: { mem: 1 } },
        destinations: { containers: {}, others: {}, unnamed: {} },
      },
    });
  });
  afterAll(async () => {
    await service?.close();
    await engine?.close();
  });

  test('say what their Python has, and that one that is not there is broken', async () => {
    const reply = await fetch(`${service.url}/environments`, {
      headers: { Accept: 'application/json' },
    });
    const { environments } = Object(await reply.json());
    expect(environments).toMatchObject([
      {
        environment: 'science',
        state: 'ready',
        python: expect.stringMatching(/^3\./),
        packages: [{ name: 'numpy', version: expect.stringMatching(/^\d/) }],
      },
      { environment: 'gone', state: 'broken', destinations: ['others'] },
      { environment: 'image', state: 'ready', destinations: ['unnamed'] },
    ]);
  });

  test('run what they have, and refuse what they lack', async () => {
    const source = 'import numpy\nprint(numpy.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).diagonal())';
    const spec = { source, requirements: ['numpy>=1'], environment: 'science' };
    const told = await service.run({ task: { type: TYPE, spec } });
    expect(told.answer).toMatch(/environment: science/);
    expect([told.last, await fetchResult(told.job, 'stdout')]).toEqual([
      'COMPLETED',
      '[0.5  0.25]\n',
    ]);
    const lacking = { ...spec, requirements: ['numpy>=1', 'pandas'] };
    const no = await service.ask({ task: { type: TYPE, spec: lacking } });
    expect(no).toContain("result: 'NO'");
    expect(no).toMatch(/package-missing[^]*pandas/);
    const answer = await service.ask({ task: { type: TYPE, spec: { source: 'import numpie' } } });
    expect(answer).toContain("result: 'NO'");
    expect(answer).toMatch(/module-missing[^]*numpie/);
    expect(answer).toContain('environment-broken');
  });
});

async function digestOf(registry: string, path: string, tag: string): Promise<string> {
  const reply = await fetch(`http://${registry}/v2/${path}/manifests/${tag}`, {
    method: 'HEAD',
    headers: {
      Accept:
        'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json',
    },
  });
  const digest = reply.headers.get('docker-content-digest');
  if (digest === null) throw new Error(`${reply.status} of the registry, without a digest`);
  return digest;
}
