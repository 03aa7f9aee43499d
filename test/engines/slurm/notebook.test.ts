import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { slurmRunner } from '../../../src/runners/slurm-runner.ts';
import { inlineNotebook, notebookOf } from '../../runners/notebook/cells.ts';
import { run, shell, workload } from '../../runners/workloads.ts';
import { JUPYTER_PYTHON, jupyterMissing } from '../jupyter.ts';
import {
  byCommands,
  NO_URLS,
  settingsOf,
  slurmMissing,
  startCluster,
  type Cluster,
} from './slurm.ts';
import { withEngine } from '../summary.ts';

withEngine('notebooks in jobs of slurm', slurmMissing() ?? jupyterMissing(), () => {
  let cluster: Cluster;
  let runner: Runner;
  beforeAll(async () => {
    cluster = await startCluster();
    runner = slurmRunner(settingsOf(byCommands(cluster), { jupyter: JUPYTER_PYTHON }), {
      jobsRoot: cluster.jobsRoot,
      urls: NO_URLS,
    });
  });
  afterAll(async () => {
    await runner?.close();
    await cluster?.close();
  });

  const fileOf = ({ job }: Workload, outcome: Outcome, id: string): string => {
    const path = outcome.results.find((result) => result.id === id)?.path;
    if (path === undefined) throw new Error(`no result ${id}: ${JSON.stringify(outcome)}`);
    return readFileSync(join(cluster.jobsRoot, job, path), 'utf8');
  };

  test("run with their parameters in the node's Jupyter, and leave notebook, page and files", async () => {
    const work = inlineNotebook(
      notebookOf(
        { code: 'depth = 1', tags: ['parameters'] },
        'import os\nprint("depth", depth, os.environ["SLURM_JOB_ID"].isdigit())',
        'open("found.csv", "w").write("1,2")',
      ),
      { parameters: { depth: 26 }, memory: 512 },
    );
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({ kind: 'completed' });
    expect(fileOf(work, outcome, 'stdout')).toBe('depth 26 True\n');
    expect(fileOf(work, outcome, 'notebook')).toMatch(/injected-parameters[^]*depth 26 True/);
    expect(fileOf(work, outcome, 'html')).toContain('depth 26 True');
    expect(fileOf(work, outcome, 'found.csv')).toBe('1,2');
  });

  test('that fail say in which cell, and keep what they had done', async () => {
    const work = inlineNotebook(
      notebookOf('print("first")', 'raise ValueError("no such galaxy")'),
      { memory: 512 },
    );
    const outcome = await run(runner, work);
    expect(outcome).toMatchObject({
      kind: 'failed',
      code: 'notebook-cell-failed',
      message: expect.stringMatching(/cell 2: ValueError: no such galaxy/),
      transient: false,
    });
    expect(fileOf(work, outcome, 'notebook')).toContain('first');
  });

  test('with less memory than Jupyter needs are refused before they are sent', async () => {
    expect(await run(runner, inlineNotebook(notebookOf('1'), { memory: 255 }))).toMatchObject({
      kind: 'failed',
      code: 'runner-failed',
      message: expect.stringContaining('at least 256 MiB'),
    });
  });

  test('that are malformed are refused, and other jobs keep the names of their files', async () => {
    expect(
      await run(
        runner,
        workload({ type: 'jupyter-notebook', notebook: { kind: 'inline', text: '{}' } }),
      ),
    ).toMatchObject({ kind: 'failed', code: 'notebook-invalid' });
    const work = shell('echo mine > notebook');
    expect(fileOf(work, await run(runner, work), 'notebook')).toBe('mine\n');
  });
});
