import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NOTEBOOK_LEAST_MEMORY } from '../../tasks/least-memory.ts';
import { parseNotebook } from '../../tasks/notebook-document.ts';
import type { NotebookTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { Limits } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { contentOf } from '../run/program.ts';
import { toNotebookJson } from './executed.ts';
import { withParameters } from './parameters.ts';

/** Name of the notebook in the `task` directory of its job. */
export const NOTEBOOK = 'notebook.ipynb';

/** A notebook as it will be executed, or what is wrong with it in one sentence. */
type NotebookInput =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string };

/**
 * The notebook of a task as plain nbformat 4.5 without outputs, with the task's parameters in it.
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

/** Writes the notebook of a task into its draft, as it will be executed. @throws JobFailure */
export async function writeNotebook(
  task: NotebookTask,
  draft: JobDirectory,
  urls: UrlPolicy,
): Promise<void> {
  const read = notebookInput((await contentOf(task.notebook, urls)).toString('utf8'), task);
  if (!read.ok) throw new JobFailure('notebook-invalid', read.text);
  await writeFile(join(draft.task, NOTEBOOK), read.text, { mode: 0o600 });
}

/** @param program what needs it @throws JobFailure when less memory was offered than it needs */
export function mustHaveMemory(program: string, { memory }: Pick<Limits, 'memory'>): void {
  if (memory < NOTEBOOK_LEAST_MEMORY)
    throw new JobFailure(
      'runner-failed',
      `${program} needs at least ${NOTEBOOK_LEAST_MEMORY} MiB here, and ${memory} MiB were offered`,
    );
}
