import { openPythons } from '../making/pythons.ts';
import type { Runner, Workload } from '../port.ts';
import { closingFirst } from '../process/closing-first.ts';
import type { Interpreters } from '../run/interpreter.ts';

/** The interpreters of a cluster: nodes see the directory of all jobs, and so what is made there. */
export type NodePythons = {
  /** the absolute path of that of a job; undefined: the job is none of Python, or none was promised */
  readonly of: (workload: Workload) => Promise<string | undefined>;
  /** The runner that uses them, which closes them, too. */
  readonly closedBy: (runner: Runner) => Runner;
};

/**
 * @param environments that the destination names, best first; undefined: it names none
 * @param jobsRoot directory of all jobs
 */
export function openNodePythons(
  environments: Interpreters | undefined,
  jobsRoot: string,
): NodePythons {
  if (environments === undefined)
    return { of: async () => undefined, closedBy: (runner) => runner };
  const pythons = openPythons(environments, jobsRoot);
  return {
    of: async (workload) => {
      const { task } = workload;
      return task.type === 'python-program' || task.type === 'jupyter-notebook'
        ? (await pythons.of({ ...workload, task })).python
        : undefined;
    },
    closedBy: (runner) => closingFirst(runner, pythons.close),
  };
}
