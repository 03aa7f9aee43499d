import { parseNotebook } from '../../tasks/notebook-document.ts';
import type { NotebookTask } from '../../tasks/task.ts';
import { toNotebookJson } from './executed.ts';
import { withParameters } from './parameters.ts';

/** A notebook as it will be executed, or what is wrong with it in one sentence. */
export type NotebookInput =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string };

/**
 * What of a task is executed: the fetched notebook as plain nbformat 4.5 without outputs,
 * with the task's parameters in it.
 */
export function notebookInput(text: string, { parameters }: NotebookTask): NotebookInput {
  const parsed = parseNotebook(text);
  if (!parsed.ok)
    return { ok: false, text: `this is not a notebook that can be executed: ${parsed.text}` };
  const notebook =
    parameters === undefined ? parsed.notebook : withParameters(parsed.notebook, parameters);
  const cells = notebook.cells.map((cell) => ({ cell, count: undefined, outputs: [] }));
  return { ok: true, text: JSON.stringify(toNotebookJson(cells, notebook.metadata)) };
}
