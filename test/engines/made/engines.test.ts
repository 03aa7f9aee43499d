import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MadeTerms } from '../../../src/environments/environment.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { mebibytes, seconds } from '../../../src/words/units.ts';
import { processDestination } from '../../harness/site.ts';
import { startWholeService, type WholeService } from '../../harness/whole-service.ts';
import { inlineNotebook, notebookOf } from '../../runners/notebook/cells.ts';
import { until } from '../../cli/service-process.ts';
import { run } from '../../runners/workloads.ts';
import { JUPYTER_PYTHON } from '../jupyter.ts';
import { needs } from '../packages.ts';
import {
  byCommands,
  NO_URLS,
  settingsOf,
  slurmMissing,
  startCluster,
  type Cluster,
} from '../slurm/slurm.ts';
import { withEngine } from '../summary.ts';
import { indexMissing } from './index-missing.ts';

/** Packages come from another machine. */
const PATIENCE = 600_000;
const INDEX = 'https://pypi.org/simple';
const TYPE = 'https://www.purl.org/ivoa-net/task-type';
const SIX = 'import six, sys\nprint(six.__version__, "/made/" in sys.prefix)';

const missing = needs('python3-pip') ?? indexMissing();

withEngine('environments made with packages of PyPI', missing, () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        quotas: [],
        environments: {
          'built-in': { pyodide: true },
          any: { venv: { python: JUPYTER_PYTHON, index: INDEX } },
        },
        destinations: {
          notebooks: processDestination({
            runner: 'notebook',
            'task-types': ['jupyter-notebook', 'python-program'],
            environments: ['any', 'built-in'],
          }),
        },
      },
      rules: {
        tools: { default: { mem: 1 } },
        destinations: { notebooks: { runner: 'notebook' } },
      },
    });
  }, PATIENCE);
  afterAll(() => service?.close());

  test(
    'execute notebooks, and an offer says so',
    async () => {
      const cells = [{ cell_type: 'code', metadata: {}, source: SIX }];
      const content = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
      const spec = { content, requirements: ['six==1.16.0'] };
      const told = await service.run({ task: { type: `${TYPE}/jupyter-notebook`, spec } });
      expect(told.answer).toMatch(/"?environment"?: "?any/);
      const printed = await (await fetch(`${told.job}/results/stdout`)).text();
      expect([told.last, printed]).toEqual(['COMPLETED', '1.16.0 True\n']);
    },
    PATIENCE,
  );

  test(
    'fail their job with the words of the index, which the next ask is told',
    async () => {
      const task = {
        type: `${TYPE}/python-program`,
        spec: { source: 'import six', requirements: ['six>=1000'] },
      };
      const told = await service.run({ task });
      expect(told.last).toBe('ERROR');
      expect(await (await fetch(`${told.job}/error`)).text()).toMatch(/six(>|&gt;)=1000/);
      // The planner looks for news of environments once a minute.
      await until('an ask is told', async () => {
        const answer = await service.ask({ task });
        return /requirements-unmet[^]*six>=1000/.test(answer) || undefined;
      });
    },
    PATIENCE,
  );
});

withEngine('environments made for slurm', slurmMissing() ?? missing, () => {
  let cluster: Cluster;
  let runner: Runner;
  const any: MadeTerms = {
    name: 'any',
    kind: 'venv',
    python: JUPYTER_PYTHON,
    paths: [],
    index: INDEX,
    builds: false,
    most: 5,
    size: mebibytes(2048),
    time: seconds(300),
  };
  beforeAll(async () => {
    cluster = await startCluster();
    runner = slurmRunner(settingsOf(byCommands(cluster)), {
      jobsRoot: cluster.jobsRoot,
      urls: NO_URLS,
      environments: [any],
    });
  }, PATIENCE);
  afterAll(async () => {
    await runner?.close();
    await cluster?.close();
  });

  test(
    'are in the directory of jobs, which its nodes see',
    async () => {
      const notebook = inlineNotebook(notebookOf(SIX), { memory: 512 });
      const { task } = notebook;
      if (task.type !== 'jupyter-notebook') throw new Error(task.type);
      const work: Workload = { ...notebook, task: { ...task, needs: { requirements: ['six'] } } };
      expect(await untilMade(runner, work)).toMatchObject({ kind: 'completed' });
      expect(readFileSync(join(cluster.jobsRoot, work.job, 'stdout'), 'utf8')).toMatch(/ True\n$/);
    },
    PATIENCE,
  );
});

async function untilMade(runner: Runner, work: Workload): Promise<Outcome> {
  for (;;) {
    try {
      return await run(runner, work);
    } catch (error) {
      if (!String(error).includes('is being made')) throw error;
    }
  }
}
