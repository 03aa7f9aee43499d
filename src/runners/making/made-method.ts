import type { MadeTerms } from '../../environments/environment.ts';
import { madeRequirements } from '../../tasks/python-needs.ts';
import { jupyterMethod } from '../notebook/jupyter-method.ts';
import type { NotebookMethod } from '../notebook/method.ts';
import { notExecuted } from '../run/program.ts';
import type { Maker } from './maker.ts';

/** How an environment that is made for a task executes it. */
export function madeMethod(terms: MadeTerms, maker: Maker): NotebookMethod {
  const { readable, volumeProblem } = jupyterMethod(terms.python);
  return {
    readable: [...readable, ...terms.paths],
    volumeProblem,
    prepare: async (workload, making, urls) => {
      const { task } = workload;
      if (task.type !== 'jupyter-notebook' && task.type !== 'python-program')
        throw notExecuted('notebook', task);
      const { python, folder } = await maker.make(terms, madeRequirements(task), workload.job);
      const prepared = await jupyterMethod(python).prepare(workload, making, urls);
      return { ...prepared, shared: [folder] };
    },
  };
}
