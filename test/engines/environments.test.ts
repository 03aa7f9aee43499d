import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { processDestination } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { JUPYTER_PYTHON, jupyterMissing, packagesMissing } from './jupyter.ts';
import { expectPlot, notebookOf, PRINTED, USES } from './astronomy.ts';
import { needs } from './packages.ts';
import { withEngine } from './summary.ts';

/** Time for interpreters to start on a busy machine. */
const PATIENCE = 250_000;
const TYPE = 'https://www.purl.org/ivoa-net/task-type';
const missing = jupyterMissing() ?? packagesMissing() ?? needs('python3-pyvo', 'python3-venv');

withEngine('environments with the packages of astronomers', missing, () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: (folder) => {
        const venv = join(folder, 'venv');
        const made = spawnSync(JUPYTER_PYTHON, ['-m', 'venv', '--without-pip', venv]);
        if (made.status !== 0) throw new Error(String(made.stderr));
        return {
          rules: ['rules.yml'],
          quotas: [],
          environments: {
            debian: { python: JUPYTER_PYTHON },
            venv: { python: join(venv, 'bin/python') },
            'built-in': { pyodide: true },
          },
          destinations: {
            notebooks: processDestination({
              runner: 'notebook',
              'task-types': ['jupyter-notebook'],
              environments: ['built-in', 'venv', 'debian'],
            }),
            programs: processDestination({
              'task-types': ['python-program'],
              environments: ['venv', 'debian'],
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

  test('say what they have', async () => {
    const reply = await fetch(`${service.url}/environments`, {
      headers: { Accept: 'application/json' },
    });
    const { environments } = Object(await reply.json());
    const [builtIn, venv, debian] = environments;
    expect([builtIn.packages, venv.packages]).toEqual([[], []]);
    expect(venv).toMatchObject({ environment: 'venv', state: 'ready', python: debian.python });
    expect(debian.packages.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['numpy', 'scipy', 'pandas', 'matplotlib', 'astropy', 'pyvo']),
    );
  });

  describe.each([
    ['a notebook', { type: `${TYPE}/jupyter-notebook`, spec: { content: notebookOf(USES) } }],
    ['a program', { type: `${TYPE}/python-program`, spec: { source: USES.join('\n') } }],
  ])('%s', (_what, task) => {
    test(
      'runs where its imports are, uses them, and leaves a picture',
      async () => {
        const told = await service.run({ task });
        expect(told.answer).toMatch(/"?environment"?: "?debian/);
        expect([told.last, await text(`${told.job}/results/stdout`)]).toEqual([
          'COMPLETED',
          PRINTED,
        ]);
        const job = told.job.split('/').at(-1) ?? '';
        const picture = readFileSync(join(service.folder, 'jobs', job, 'work/plot.png'));
        expectPlot(picture);
      },
      PATIENCE,
    );
  });

  test('a virtual environment runs what needs nothing, and not what it lacks', async () => {
    const program = { source: 'import sys\nprint(sys.prefix != sys.base_prefix)' };
    const told = await service.run({ task: { type: `${TYPE}/python-program`, spec: program } });
    expect([told.last, await text(`${told.job}/results/stdout`)]).toEqual(['COMPLETED', 'True\n']);
    const named = { ...program, requirements: ['numpy'], environment: 'venv' };
    const answer = await service.ask({ task: { type: `${TYPE}/python-program`, spec: named } });
    expect(answer).toContain('package-missing');
    expect(answer).toContain("result: 'NO'");
  });
});

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}
