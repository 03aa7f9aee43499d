import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { globSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fetchResult } from '../../../src/cli/conversation.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { expectPlot, notebookOf, PRINTED, USES } from '../astronomy.ts';
import { command } from '../daemon.ts';
import { JUPYTER_PYTHON, jupyterMissing, packagesMissing } from '../jupyter.ts';
import { needs } from '../packages.ts';
import { withEngine } from '../summary.ts';
import { JOB_USER, slurmMissing, startCluster, type Cluster } from './slurm.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';
/** Time for interpreters to start on a busy machine. */
const PATIENCE = 250_000;

const missing =
  slurmMissing() ?? jupyterMissing() ?? packagesMissing() ?? needs('python3-pyvo', 'python3-venv');

withEngine('environments of the site file on the nodes of slurm', missing, () => {
  let cluster: Cluster;
  let service: WholeService;
  beforeAll(async () => {
    cluster = await startCluster();
    service = await startWholeService({
      site: (folder) => ({
        rules: ['rules.yml'],
        environments: {
          venv: { python: venvWithNumpy(join(folder, 'venv')) },
          debian: { python: JUPYTER_PYTHON },
        },
        destinations: {
          cluster: {
            runner: 'slurm',
            'task-types': ['python-program', 'jupyter-notebook'],
            environments: ['venv', 'debian'],
            cores: 8,
            memory: '8GiB',
            scratch: '80GiB',
            slurm: { conf: cluster.conf, partition: 'main', user: JOB_USER },
          },
        },
      }),
      rules: { tools: { default: { mem: 1 } }, destinations: { cluster: { runner: 'slurm' } } },
    });
  }, PATIENCE);
  afterAll(async () => {
    await service?.close();
    await cluster?.close();
  });

  test(
    'run what needs numpy in a virtual environment that has it, and refuse what it lacks',
    async () => {
      const source =
        'import os, sys, numpy\n' +
        'print(numpy.arange(4).sum(), sys.prefix != sys.base_prefix, "SLURM_JOB_ID" in os.environ)';
      const program = (spec: object): object => ({
        task: { type: `${TYPE}/python-program`, spec: { source, ...spec } },
      });
      const told = await service.run(program({ requirements: ['numpy>=1'] }));
      expect(told.answer).toMatch(/"?environment"?: "?venv/);
      expect([told.last, await fetchResult(told.job, 'stdout')]).toEqual([
        'COMPLETED',
        '6 True True\n',
      ]);
      expect(await service.ask(program({ source: 'import galpy_of_tomorrow' }))).toContain(
        'module-missing',
      );
      const no = await service.ask(program({ requirements: ['pandas'], environment: 'venv' }));
      expect(no).toContain("result: 'NO'");
      expect(no).toMatch(/package-missing[^]*pandas/);
    },
    PATIENCE,
  );

  const uses = [...USES, 'import os', 'print("SLURM_JOB_ID" in os.environ)'];
  test.each([
    ['a notebook', { type: `${TYPE}/jupyter-notebook`, spec: { content: notebookOf(uses) } }],
    ['a program', { type: `${TYPE}/python-program`, spec: { source: uses.join('\n') } }],
  ])(
    'have the packages of astronomers for %s, which leaves a picture',
    async (_what, task) => {
      const { answer, job, last } = await service.run({ task });
      expect(answer).toMatch(/"?environment"?: "?debian/);
      expect([last, await fetchResult(job, 'stdout')]).toEqual(['COMPLETED', `${PRINTED}True\n`]);
      const picture = await fetch(`${job}/results/plot.png`);
      expectPlot(Buffer.from(await picture.arrayBuffer()));
    },
    PATIENCE,
  );
});

/** Makes a virtual environment that has Debian's numpy. @returns its Python */
function venvWithNumpy(folder: string): string {
  command(JUPYTER_PYTHON, ['-m', 'venv', '--without-pip', folder]);
  const [packages = ''] = globSync(join(folder, 'lib/python3*/site-packages'));
  for (const path of globSync('/usr/lib/python3/dist-packages/numpy{,-*.egg-info}'))
    symlinkSync(path, join(packages, basename(path)));
  return join(folder, 'bin/python');
}
