import type { EngineDefinition } from '../engine-definition.ts';
import { notebookKind, type NotebookEngine } from './kind.ts';
import { readNotebookEngine } from './read.ts';

/** Notebooks with the built-in Python, or with the machine's Jupyter. */
export const notebookEngine: EngineDefinition<NotebookEngine> = {
  kind: notebookKind,
  read: readNotebookEngine,
  open: async (engine, local) => {
    const { notebookRunner } = await import('../notebook-runner.ts');
    return notebookRunner(local, engine);
  },
};
