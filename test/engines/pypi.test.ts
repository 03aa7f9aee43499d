import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { fetchResult } from '../../src/cli/conversation.ts';
import { processDestination } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { expectPlot, notebookOf, PRINTED, USES } from './astronomy.ts';
import { JUPYTER_PYTHON } from './jupyter.ts';
import { indexMissing } from './made/index-missing.ts';
import { needs } from './packages.ts';
import { withEngine } from './summary.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type';
/** Packages come from another machine. */
const PATIENCE = 1_200_000;
const PACKAGES = 'numpy scipy pandas astropy matplotlib pyvo ipykernel nbclient nbconvert'.split(
  ' ',
);

const missing = needs('python3', 'python3-venv') ?? indexMissing();

withEngine('a virtual environment with packages of PyPI', missing, () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: (folder) => {
        const venv = join(folder, 'venv');
        run(JUPYTER_PYTHON, '-m', 'venv', venv);
        run(join(venv, 'bin/python'), '-m', 'pip', 'install', '-q', ...PACKAGES);
        return {
          rules: ['rules.yml'],
          quotas: [],
          environments: { pypi: { python: join(venv, 'bin/python') } },
          destinations: {
            notebooks: processDestination({
              runner: 'notebook',
              'task-types': ['jupyter-notebook'],
              environments: ['pypi'],
            }),
            programs: processDestination({
              'task-types': ['python-program'],
              environments: ['pypi'],
            }),
          },
        };
      },
      rules: {
        tools: { default: { mem: 1 } },
        destinations: { notebooks: { runner: 'notebook' }, programs: { runner: 'process' } },
      },
    });
  }, PATIENCE);
  afterAll(() => service?.close());

  test.each([
    ['a notebook', { type: `${TYPE}/jupyter-notebook`, spec: { content: notebookOf(USES) } }],
    ['a program', { type: `${TYPE}/python-program`, spec: { source: USES.join('\n') } }],
  ])(
    'is used by %s, which leaves a picture',
    async (_what, { type, spec }) => {
      const requirements = ['numpy>=2', 'astropy', 'matplotlib', 'pandas', 'pyvo>=1.5'];
      const told = await service.run({ task: { type, spec: { ...spec, requirements } } });
      expect(told.answer).toMatch(/"?environment"?: "?pypi/);
      expect([told.last, await fetchResult(told.job, 'stdout')]).toEqual(['COMPLETED', PRINTED]);
      const job = told.job.split('/').at(-1) ?? '';
      const picture = readFileSync(join(service.folder, 'jobs', job, 'work/plot.png'));
      expectPlot(picture);
    },
    PATIENCE,
  );
});

function run(...[command = '', ...words]: readonly string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}
