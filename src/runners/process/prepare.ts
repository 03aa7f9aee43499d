import { join } from 'node:path';
import { isWorkflow } from '../../tasks/workflow/workflow.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { PythonOf } from '../making/pythons.ts';
import type { WorkflowTerms } from '../../workflows/terms.ts';
import { HOST_FILE, writeLocalHosts } from '../machines/hosts.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { createVolumes } from '../run/volumes.ts';
import { resolveProgram } from './start/host.ts';
import { prepareWorkflow } from '../workflows/prepare.ts';
import type { RunMethod } from './start/run-method.ts';
import { isBelow } from './start/visible-paths.ts';

/** The C library and an interpreter; Python starts with 12 MiB. */
const RESERVE = { memory: 64, cpu: 0 };

/**
 * How programs of this machine are prepared.
 *
 * @param pythonOf the interpreter that was promised, or the best
 * @param sees whether jobs see a program
 * @param workflows the interpreters of workflows
 */
export function prepareProcess(
  pythonOf: PythonOf,
  sees: (program: string) => boolean,
  workflows?: WorkflowTerms,
): RunMethod['prepare'] {
  return async (workload, { draft, place }, urls) => {
    const { task, volumes, limits, allocation } = workload;
    const environment = await createVolumes(volumes, draft, place);
    if (isWorkflow(task)) {
      const view = { task: place.task, work: place.work };
      const command = await prepareWorkflow(task, workflows, { draft, view, urls, limits });
      return { command, environment, reserve: RESERVE };
    }
    switch (task.type) {
      case 'executable': {
        const [name, ...words] = task.command;
        const program = resolveProgram(name, place.work);
        if (program === undefined)
          throw new JobFailure('task-failed', `the program ${name} is not on this machine`);
        if (!isBelow(program, place.work) && !sees(program))
          throw new JobFailure('task-failed', `jobs of this site do not see the program ${name}`);
        const hosts =
          allocation && (await writeLocalHosts(allocation, draft, join(place.task, HOST_FILE)));
        const variables = {
          ...hosts?.defaults,
          ...task.environment,
          ...environment,
          ...hosts?.own,
        };
        return { command: [program, ...words], environment: variables, reserve: RESERVE };
      }
      case 'python-program': {
        const { python, shared } = await pythonOf({ ...workload, task });
        await writeProgram(task, draft, urls);
        const command = [python, join(place.task, PROGRAM), ...task.arguments] as const;
        return { command, environment, reserve: RESERVE, shared };
      }
      case 'jupyter-notebook':
      case 'oci-container':
      case 'helm-chart':
        throw notExecuted('process', task);
      default:
        return task satisfies never;
    }
  };
}
