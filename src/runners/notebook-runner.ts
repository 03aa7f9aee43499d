import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NotebookTask, ProgramTask } from '../tasks/task.ts';
import { notebookVolumeProblem } from '../tasks/volumes.ts';
import { mustHaveMemory, NOTEBOOK, writeNotebook } from './notebook/input.ts';
import { findNotebookPrograms, type NotebookPrograms } from './notebook/programs.ts';
import { pyodideCommand, pyodidePlan } from './notebook/pyodide.ts';
import { notebookResults } from './notebook/results.ts';
import type { Runner, Workload } from './port.ts';
import { localRunner } from './process/runner.ts';
import type { IsolationWish } from './process/settings.ts';
import { networkIsolation, prepareHost, type LocalSettings } from './process/start/host.ts';
import type { PreparedCommand, RunMethod } from './process/start/run-method.ts';
import type { Making } from './run/draft.ts';
import { notExecuted, PROGRAM, writeProgram } from './run/program.ts';
import { createVolumes } from './run/volumes.ts';

/**
 * V8 reserves private writable addresses that it hardly touches (0.77 GB measured)
 * and compiles on other threads.
 */
const NODE_RESERVE = { memory: 1024, cpu: 5 };

const PLAN = 'plan.json';

/**
 * The runner for notebooks and Python programs that needs nothing installed: Pyodide (CPython in
 * WebAssembly, with its standard library and no other package) in a Node process without rights.
 *
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function notebookRunner(settings: LocalSettings, isolation?: IsolationWish): Runner {
  const jobHost = prepareHost(settings, isolation);
  const programs = findNotebookPrograms();
  const method: RunMethod = {
    name: 'notebook',
    isolation: networkIsolation(),
    view: { readable: [programs.node, ...programs.code], network: 'none' },
    volumeProblem: notebookVolumeProblem,
    prepare: prepareWith(programs),
    results: notebookResults,
  };
  return localRunner(jobHost, method);
}

function prepareWith(programs: NotebookPrograms): RunMethod['prepare'] {
  return async (workload, making, urls) => {
    const { task } = workload;
    mustHaveMemory('Python', workload.limits);
    switch (task.type) {
      case 'jupyter-notebook':
        await writeNotebook(task, making.draft, urls);
        return prepareTask({ ...workload, task }, making, NOTEBOOK, programs);
      case 'python-program':
        await writeProgram(task, making.draft, urls);
        return prepareTask({ ...workload, task }, making, PROGRAM, programs);
      case 'executable':
      case 'oci-container':
      case 'helm-chart':
        throw notExecuted('notebook', task);
      default:
        return task satisfies never;
    }
  };
}

async function prepareTask(
  workload: Workload & { readonly task: NotebookTask | ProgramTask },
  { draft, place }: Making,
  input: string,
  programs: NotebookPrograms,
): Promise<PreparedCommand> {
  await createVolumes(workload.volumes, draft, place);
  const plan = pyodidePlan(workload, place, join(place.task, input));
  await writeFile(join(draft.task, PLAN), JSON.stringify(plan), { mode: 0o600 });
  return {
    command: pyodideCommand(workload, place, join(place.task, PLAN), programs),
    environment: {},
    reserve: NODE_RESERVE,
  };
}
