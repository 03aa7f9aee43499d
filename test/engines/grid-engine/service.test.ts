import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, type Told, type WholeService } from '../../harness/whole-service.ts';
import { serveWheels, type WheelIndex } from '../made/index-of-wheels.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { gridEngineMissing, startGridCluster, type GridCluster } from './cluster.ts';
import { GPU, handOutGpus } from './gpus.ts';

/** Time for a cluster, its service and its interpreters on a busy machine. */
const PATIENCE = 250_000;
const TYPE = 'https://www.purl.org/ivoa-net/task-type';
const DEVICE = 'https://example.org/gpu';
const PYTHON = '/usr/bin/python3';
const missing =
  gridEngineMissing() ?? needs('python3', 'python3-numpy', 'python3-venv', 'python3-pip');

withEngine('a service with the plug-in for Grid Engine', missing, () => {
  let cluster: GridCluster;
  let index: WheelIndex;
  let service: WholeService;
  beforeAll(async () => {
    cluster = await startGridCluster();
    await handOutGpus(cluster, 2);
    index = await serveWheels(join(cluster.folder, 'index'), PYTHON, [
      { name: 'star', version: '2.0' },
    ]);
    const venv = join(cluster.folder, 'venv');
    const made = spawnSync(PYTHON, ['-m', 'venv', '--without-pip', venv]);
    if (made.status !== 0) throw new Error(String(made.stderr));
    const { python: _, ...settings } = cluster.settings;
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        quotas: [],
        offers: { duration: 'PT2M' },
        environments: {
          venv: { python: join(venv, 'bin/python') },
          debian: { python: PYTHON },
          any: { venv: { python: PYTHON, index: index.url } },
        },
        destinations: {
          here: {
            runner: 'grid-engine',
            'task-types': ['python-program', 'executable'],
            cores: 4,
            memory: '8GiB',
            scratch: '80GiB',
            environments: ['venv', 'debian', 'any'],
            gpus: { [DEVICE]: 2 },
            'grid-engine': { ...settings, gpus: { [DEVICE]: GPU } },
          },
        },
      },
      rules: { tools: { default: { mem: 1 } }, destinations: { here: { runner: 'grid-engine' } } },
      environment: { PLUGINS_DIR: resolve('docs/examples/plugins') },
    });
  }, PATIENCE);
  afterAll(async () => {
    await service?.close();
    await index?.close();
    await cluster?.close();
  }, PATIENCE);

  function printed({ job, last }: Told): readonly [string | undefined, string] {
    const id = job.split('/').at(-1) ?? '';
    return [last, readFileSync(join(service.folder, 'jobs', id, 'stdout'), 'utf8')];
  }
  const program = (spec: object): object => ({ task: { type: `${TYPE}/python-program`, spec } });
  const script = (text: string, more: object = {}): object => ({
    task: { type: `${TYPE}/executable`, spec: { command: ['sh', '-c', text] } },
    ...more,
  });

  describe('whose destination names environments', () => {
    test(
      'runs a program in the one that has what it imports',
      async () => {
        const told = await service.run(
          program({ source: 'import numpy\nprint(numpy.sum([1, 2]))' }),
        );
        expect(told.answer).toMatch(/"?environment"?: "?debian/);
        expect(printed(told)).toEqual(['COMPLETED', '3\n']);
      },
      PATIENCE,
    );

    test(
      'runs a program in the one that its client names, and says NO where it lacks a package',
      async () => {
        const source = 'import sys\nprint(sys.prefix)';
        const told = await service.run(program({ source, environment: 'venv' }));
        expect(printed(told)).toEqual(['COMPLETED', `${cluster.folder}/venv\n`]);
        const answer = await service.ask(
          program({ source, environment: 'venv', requirements: ['numpy'] }),
        );
        expect(answer).toContain('package-missing');
      },
      PATIENCE,
    );

    test(
      'makes one for a program that brings requirements',
      async () => {
        const source = 'import star\nprint(star.VERSION)';
        const told = await service.run(program({ source, requirements: ['star'] }));
        expect(told.answer).toMatch(/"?environment"?: "?any/);
        expect(printed(told)).toEqual(['COMPLETED', '2.0\n']);
      },
      PATIENCE,
    );
  });

  describe('whose destination has GPUs', () => {
    const print = 'echo "devices: ${CUDA_VISIBLE_DEVICES-none}"';

    test(
      'gives a job as many devices as it was offered, and others none',
      async () => {
        const gpus = { compute: [{ 'min-cores': 1, gpu: { type: DEVICE, count: 2 } }] };
        const told = await service.run(script(print, { resources: gpus }));
        expect(printed(told)).toEqual(['COMPLETED', 'devices: 0,1\n']);
        expect(printed(await service.run(script(print)))).toEqual(['COMPLETED', 'devices: none\n']);
      },
      PATIENCE,
    );
  });
});
