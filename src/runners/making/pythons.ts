import { JobFailure } from '../../words/job-failure.ts';
import { madeRequirements } from '../../tasks/python-needs.ts';
import type { NotebookTask, ProgramTask } from '../../tasks/task.ts';
import type { Workload } from '../port.ts';
import { interpreterOf, type Interpreters } from '../run/interpreter.ts';
import { openMaker } from './maker.ts';

/** A run of a task in Python. */
export type PythonWorkload = Pick<Workload, 'job' | 'interpreter'> & {
  readonly task: NotebookTask | ProgramTask;
};

/** The interpreter of a run. */
type RunPython = {
  /** absolute path */
  readonly python: string;
  /** folders of the directory of all jobs that it needs */
  readonly shared: readonly string[];
};

/**
 * Finds the interpreter of a run, or makes it.
 *
 * @throws JobFailure, or an error that passes
 */
export type PythonOf = (workload: PythonWorkload) => Promise<RunPython>;

/**
 * The interpreters of an engine that has no built-in Python.
 *
 * @param environments best first
 * @param jobsRoot directory of all jobs
 */
export function openPythons(
  environments: Interpreters,
  jobsRoot: string,
): { readonly of: PythonOf; readonly close: () => void } {
  const maker = openMaker(jobsRoot);
  return {
    of: async ({ job, task, interpreter }) => {
      const found = interpreterOf(environments, interpreter);
      switch (found.kind) {
        case 'interpreter':
          return { python: found.python, shared: [] };
        case 'venv': {
          const { folder, python } = await maker.make(found, madeRequirements(task), job);
          return { python, shared: [folder] };
        }
        case 'pyodide':
        case 'image':
          throw new JobFailure(
            'runner-failed',
            `this runner cannot use the environment ${found.name}`,
          );
        default:
          return found satisfies never;
      }
    },
    close: maker.close,
  };
}
