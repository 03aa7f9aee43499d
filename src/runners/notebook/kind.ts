import type { EnvironmentTerms } from '../../environments/environment.ts';
import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import { notebookVolumeProblem, processVolumeProblem } from '../../tasks/volumes.ts';
import { PROGRAM_TEXT, workflows, type EngineKind } from '../engine-kind.ts';
import { seenBy, type IsolationWish } from '../process/settings.ts';

/**
 * `jupyter`: absolute path of a Python that has it; undefined: the built-in Python, or
 * `environments`, best first.
 */
export type NotebookEngine = {
  readonly jupyter: string | undefined;
  readonly environments?: readonly EnvironmentTerms[];
  readonly isolation?: IsolationWish;
};

export const notebookKind: EngineKind<NotebookEngine> = {
  executes: {
    'jupyter-notebook': true,
    'python-program': true,
    executable: false,
    'oci-container': false,
    'helm-chart': false,
    ...workflows(false),
  },
  handsOutGpus: false,
  startsByEnv: false,
  // Jupyter sees the directories of its machine, as any process does.
  volumeProblem: (engine) => (volume) =>
    (isBuiltIn(engine, 'somewhere') ? notebookVolumeProblem(volume) : undefined) ??
    (isBuiltIn(engine, 'only') ? undefined : processVolumeProblem(volume)),
  textLimitOf: (engine) => (isBuiltIn(engine, 'only') ? undefined : PROGRAM_TEXT),
  // Programs have Jupyter's Python to themselves; the built-in one is Node with Pyodide for both.
  leastMemoryOf: (engine, type) =>
    type === 'jupyter-notebook' || isBuiltIn(engine, 'somewhere')
      ? NOTEBOOK_LEAST_MEMORY
      : undefined,
  environmentsOf: notebookEnvironments,
  takesEnvironments: {
    builtIn: true,
    made: true,
    otherwise: ({ jupyter }) => (jupyter === undefined ? undefined : 'notebook.jupyter'),
  },
  onThisMachine: (engine) => ({
    wish: engine.isolation ?? 'preferred',
    isConfined: isBuiltIn(engine, 'only'),
  }),
};

/** The interpreters of such an engine, best first. */
export function notebookEnvironments({
  jupyter,
  environments,
  isolation = 'preferred',
}: NotebookEngine): readonly EnvironmentTerms[] {
  if (environments !== undefined) return environments;
  return jupyter === undefined
    ? [{ name: 'built-in', kind: 'pyodide' }]
    : [{ name: 'jupyter', kind: 'interpreter', python: jupyter, paths: seenBy(isolation, []) }];
}

/** Is the built-in Python one of its interpreters, or the only one? */
function isBuiltIn(engine: NotebookEngine, where: 'only' | 'somewhere'): boolean {
  const kinds = notebookEnvironments(engine).map(({ kind }) => kind === 'pyodide');
  return where === 'only' ? kinds.every(Boolean) : kinds.some(Boolean);
}
