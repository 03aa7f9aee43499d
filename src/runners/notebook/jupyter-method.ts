import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import { dirname, join } from 'node:path';
import { processVolumeProblem } from '../../tasks/volumes.ts';
import { prefixesOf } from '../process/start/visible-paths.ts';
import type { RunMethod } from '../process/start/run-method.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { createVolumes } from '../run/volumes.ts';
import { mustHaveMemory, NOTEBOOK, writeNotebook } from './input.ts';
import { findDriver, jupyterCommand, jupyterEnvironment } from './jupyter.ts';
import type { NotebookMethod } from './method.ts';

/** The threads of a kernel reserve stacks that they hardly touch. */
const RESERVE = { memory: 512, cpu: 10 };

/** How an interpreter with Jupyter executes notebooks and programs. @param python absolute path */
export function jupyterMethod(python: string): NotebookMethod {
  const driver = findDriver();
  return {
    readable: [...prefixesOf(python), dirname(driver)],
    volumeProblem: processVolumeProblem,
    prepare: prepareWith(python, driver),
  };
}

function prepareWith(python: string, driver: string): RunMethod['prepare'] {
  return async ({ task, limits, volumes }, { draft, place }, urls) => {
    const environment = {
      ...jupyterEnvironment(place),
      ...(await createVolumes(volumes, draft, place)),
    };
    if (isWorkflow(task)) throw notExecuted('notebook', task);
    switch (task.type) {
      case 'jupyter-notebook': {
        mustHaveMemory('Jupyter', limits);
        await writeNotebook(task, draft, urls);
        const command = jupyterCommand(python, driver, join(place.task, NOTEBOOK), place);
        return { command, environment, reserve: RESERVE };
      }
      case 'python-program': {
        await writeProgram(task, draft, urls);
        const command = [python, join(place.task, PROGRAM), ...task.arguments] as const;
        return { command, environment, reserve: RESERVE };
      }
      case 'executable':
      case 'oci-container':
      case 'helm-chart':
        throw notExecuted('notebook', task);
      default:
        return task satisfies never;
    }
  };
}
