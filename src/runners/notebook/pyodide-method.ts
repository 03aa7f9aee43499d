import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NotebookTask, ProgramTask } from '../../tasks/task.ts';
import { notebookVolumeProblem } from '../../tasks/volumes.ts';
import type { Workload } from '../port.ts';
import type { PreparedCommand, RunMethod } from '../process/start/run-method.ts';
import type { Making } from '../run/draft.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { createVolumes } from '../run/volumes.ts';
import { mustHaveMemory, NOTEBOOK, writeNotebook } from './input.ts';
import type { NotebookMethod } from './method.ts';
import { findNotebookPrograms, type NotebookPrograms } from './programs.ts';
import { pyodideCommand, pyodidePlan } from './pyodide.ts';

/**
 * V8 reserves private writable addresses that it hardly touches (0.77 GB measured)
 * and compiles on other threads.
 */
const NODE_RESERVE = { memory: 1024, cpu: 5 };

const PLAN = 'plan.json';

/** How the built-in Python executes notebooks and programs. */
export function pyodideMethod(): NotebookMethod {
  const programs = findNotebookPrograms();
  return {
    readable: [programs.node, ...programs.code],
    volumeProblem: notebookVolumeProblem,
    prepare: prepareWith(programs),
  };
}

function prepareWith(programs: NotebookPrograms): RunMethod['prepare'] {
  return async (workload, making, urls) => {
    const { task } = workload;
    mustHaveMemory('Python', workload.limits);
    if (isWorkflow(task)) throw notExecuted('notebook', task);
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
