import { dirname, join } from 'node:path';
import { mustBeReachable } from '../places/reachable.ts';
import { processVolumeProblem } from '../tasks/volumes.ts';
import { mustHaveMemory, NOTEBOOK, writeNotebook } from './notebook/input.ts';
import {
  findDriver,
  jupyterCommand,
  jupyterEnvironment,
  mustHaveJupyter,
} from './notebook/jupyter.ts';
import { notebookResults } from './notebook/results.ts';
import {
  networkIsolation,
  prepareHost,
  resolveProgram,
  type LocalSettings,
} from './process/start/host.ts';
import type { IsolationWish } from './process/settings.ts';
import type { Runner } from './port.ts';
import { localRunner } from './process/runner.ts';
import { prefixesOf } from './process/start/visible-paths.ts';
import type { RunMethod } from './process/start/run-method.ts';
import { notExecuted, PROGRAM, writeProgram } from './run/program.ts';
import { createVolumes } from './run/volumes.ts';

/** The threads of a kernel reserve stacks that they hardly touch. */
const RESERVE = { memory: 512, cpu: 10 };

/**
 * The runner for notebooks and Python programs with the machine's own Jupyter (nbclient): the
 * packages that the site has installed, threads and processes, and no network.
 *
 * @param python absolute path of the interpreter that has Jupyter
 * @throws Error when the machine or the settings do not allow it, saying what to change.
 */
export function jupyterRunner(
  settings: LocalSettings,
  python: string,
  isolation?: IsolationWish,
): Runner {
  if (resolveProgram(python, '/') !== python)
    throw new Error(`jupyter must be the absolute path of an interpreter, and ${python} is not`);
  mustHaveJupyter(python);
  const jobHost = prepareHost(settings, isolation);
  if (jobHost.users !== undefined) mustBeReachable(python, 'the Python of the site');
  const driver = findDriver();
  const method: RunMethod = {
    name: 'notebook',
    isolation: networkIsolation(),
    view: { readable: [...prefixesOf(python), dirname(driver)], network: 'none' },
    volumeProblem: processVolumeProblem,
    prepare: prepareWith(python, driver),
    results: notebookResults,
  };
  return localRunner(jobHost, method);
}

function prepareWith(python: string, driver: string): RunMethod['prepare'] {
  return async ({ task, limits, volumes }, { draft, place }, urls) => {
    const environment = {
      ...jupyterEnvironment(place),
      ...(await createVolumes(volumes, draft, place)),
    };
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
