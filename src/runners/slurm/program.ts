import { join } from 'node:path';
import { mustHaveMemory } from '../notebook/input.ts';
import { processVolumeProblem } from '../../tasks/volumes.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { hostEnvironment } from '../run/environment.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { jupyterEnvironment } from '../notebook/jupyter.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import { prepareContainer } from './container.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { prepareNotebook } from './notebook.ts';
import type { SlurmSettings } from './settings.ts';

/**
 * The environment of every job. It contains nothing of the service's, and of Slurm's only what is
 * named here.
 */
export function environmentOf(
  workload: Workload,
  place: JobDirectory,
): Readonly<Record<string, string>> {
  const { task } = workload;
  return {
    ...(task.type === 'executable' && task.environment),
    ...(task.type === 'jupyter-notebook' && jupyterEnvironment(place)),
    ...hostEnvironment(workload, place),
  };
}

/**
 * The command line of a job. The node looks for programs, since this machine may have others.
 *
 * @throws JobFailure
 */
export async function commandOf(
  workload: Workload,
  making: Making,
  { python, jupyter, container }: SlurmSettings,
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  const { task, volumes, limits } = workload;
  const problem = volumes.map(processVolumeProblem).find((text) => text !== undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
  switch (task.type) {
    case 'executable':
      // env, which starts it, would take it for a variable.
      if (task.command[0].includes('='))
        throw new JobFailure('task-failed', 'the path of a program cannot have "=" in it here');
      return task.command;
    case 'python-program': {
      if (python === undefined)
        throw new JobFailure(
          'runner-failed',
          'this site names no Python for the nodes of its cluster',
        );
      await writeProgram(task, making.draft, urls);
      return [python, join(making.place.task, PROGRAM), ...task.arguments];
    }
    case 'oci-container':
      return prepareContainer(workload, task, making, container, urls);
    case 'jupyter-notebook':
      mustHaveMemory('Jupyter', limits);
      return prepareNotebook(task, making, jupyter, urls);
    case 'helm-chart':
      throw notExecuted('slurm', task);
    default:
      return task satisfies never;
  }
}
