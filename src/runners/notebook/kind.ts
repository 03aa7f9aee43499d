import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import { notebookVolumeProblem, processVolumeProblem } from '../../tasks/volumes.ts';
import { PROGRAM_TEXT, type EngineKind } from '../engine-kind.ts';
import type { IsolationWish } from '../process/settings.ts';

/** `jupyter`: absolute path of a Python that has it; undefined: the built-in Python. */
export type NotebookEngine = {
  readonly jupyter: string | undefined;
  readonly isolation?: IsolationWish;
};

export const notebookKind: EngineKind<NotebookEngine> = {
  executes: {
    'jupyter-notebook': true,
    'python-program': true,
    executable: false,
    'oci-container': false,
    'helm-chart': false,
  },
  handsOutGpus: false,
  startsByEnv: false,
  // Jupyter sees the directories of its machine, as any process does.
  volumeProblem: ({ jupyter }) =>
    jupyter === undefined ? notebookVolumeProblem : processVolumeProblem,
  textLimitOf: ({ jupyter }) => (jupyter === undefined ? undefined : PROGRAM_TEXT),
  // Programs have Jupyter's Python to themselves; the built-in one is Node with Pyodide for both.
  leastMemoryOf: ({ jupyter }, type) =>
    type === 'jupyter-notebook' || jupyter === undefined ? NOTEBOOK_LEAST_MEMORY : undefined,
  onThisMachine: ({ jupyter, isolation = 'preferred' }) => ({
    wish: isolation,
    isConfined: jupyter === undefined,
  }),
};
