import { join } from 'node:path';
import { processVolumeProblem } from '../../tasks/volumes.ts';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { mustHaveMemory } from '../notebook/input.ts';
import { jupyterEnvironment } from '../notebook/jupyter.ts';
import type { WorkflowTerms } from '../../workflows/terms.ts';
import { prepareWorkflow, type StepsAway } from '../workflows/prepare.ts';
import type { Workload } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import { hostEnvironment } from '../run/environment.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { prepareNotebook } from './notebook.ts';

/** Absolute paths of interpreters on the nodes; undefined: none. */
export type NodePrograms = {
  readonly python: string | undefined;
  /** the one that has Jupyter */
  readonly jupyter: string | undefined;
  /** the interpreters of workflows on the nodes */
  readonly workflows?: WorkflowTerms | undefined;
  /** how an interpreter hands its steps to the system; absent: it does not */
  readonly stepsOf?: (workload: Workload, making: Making) => Promise<StepsAway | undefined>;
};

/**
 * The environment of every job. It contains nothing of the service's, and of the batch system's only
 * what the system names.
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
 * @param runner its name, for messages
 * @throws JobFailure
 */
export async function nodeCommandOf(
  runner: string,
  workload: Workload,
  making: Making,
  { python, jupyter, workflows, stepsOf }: NodePrograms,
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  const { task, volumes, limits } = workload;
  const problem = volumes.map(processVolumeProblem).find((text) => text !== undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
  if (isWorkflow(task)) {
    const { draft, place } = making;
    const view = { task: place.task, work: place.work };
    const steps = await stepsOf?.(workload, making);
    return prepareWorkflow(task, workflows, { draft, view, urls, limits, steps });
  }
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
    case 'jupyter-notebook':
      mustHaveMemory('Jupyter', limits);
      return prepareNotebook(task, making, jupyter, urls);
    case 'oci-container':
    case 'helm-chart':
      throw notExecuted(runner, task);
    default:
      return task satisfies never;
  }
}
