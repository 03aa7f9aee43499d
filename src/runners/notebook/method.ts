import type { RunMethod } from '../process/start/run-method.ts';

/** How one interpreter executes notebooks and programs. */
export type NotebookMethod = Pick<RunMethod, 'volumeProblem' | 'prepare'> & {
  /** absolute paths that its jobs read */
  readonly readable: readonly string[];
};
