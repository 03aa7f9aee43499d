import { join } from 'node:path';
import { JobFailure } from '../../words/job-failure.ts';
import { notExecuted, PROGRAM, writeProgram } from '../run/program.ts';
import { createVolumes } from '../run/volumes.ts';
import { resolveProgram } from './start/host.ts';
import type { RunMethod } from './start/run-method.ts';
import { isBelow } from './start/visible-paths.ts';

/** The C library and an interpreter; Python starts with 12 MiB. */
const RESERVE = { memory: 64, cpu: 0 };

/**
 * How programs of this machine are prepared.
 *
 * @param python undefined: no Python programs
 * @param sees whether jobs see a program
 */
export function prepareProcess(
  python: string | undefined,
  sees: (program: string) => boolean,
): RunMethod['prepare'] {
  return async ({ task, volumes }, { draft, place }, urls) => {
    const environment = await createVolumes(volumes, draft, place);
    switch (task.type) {
      case 'executable': {
        const [name, ...words] = task.command;
        const program = resolveProgram(name, place.work);
        if (program === undefined)
          throw new JobFailure('task-failed', `the program ${name} is not on this machine`);
        if (!isBelow(program, place.work) && !sees(program))
          throw new JobFailure('task-failed', `jobs of this site do not see the program ${name}`);
        const variables = { ...task.environment, ...environment };
        return { command: [program, ...words], environment: variables, reserve: RESERVE };
      }
      case 'python-program': {
        if (python === undefined)
          throw new JobFailure('runner-failed', 'this site names no Python for its process runner');
        await writeProgram(task, draft, urls);
        const command = [python, join(place.task, PROGRAM), ...task.arguments] as const;
        return { command, environment, reserve: RESERVE };
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
