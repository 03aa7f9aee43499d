import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NotebookTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { NOTEBOOK, writeNotebook } from '../notebook/input.ts';
import { findDriver, jupyterCommand } from '../notebook/jupyter.ts';
import { FAILURE_FILE, parseFailure, type Failure } from '../run/failure.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Making } from '../run/draft.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { readFromNode } from './status.ts';
import { parsedJson } from '../../words/record.ts';

/** Whether a job was prepared as a notebook. */
export function isNotebook(place: JobDirectory): boolean {
  return existsSync(inputOf(place));
}

/**
 * Writes what a node needs to execute a notebook with its own Jupyter: the notebook with
 * its parameters, and the driver.
 *
 * @param python absolute path on the nodes
 * @returns the command line of the job
 * @throws JobFailure
 */
export async function prepareNotebook(
  task: NotebookTask,
  { draft, place }: Making,
  python: string | undefined,
  urls: UrlPolicy,
): Promise<NonEmpty<string>> {
  if (python === undefined)
    throw new JobFailure(
      'runner-failed',
      'this site names no Jupyter for the nodes of its cluster',
    );
  await writeNotebook(task, draft, urls);
  await copyFile(findDriver(), driverOf(draft));
  return jupyterCommand(python, driverOf(place), inputOf(place), place);
}

const LARGEST_FAILURE = 100_000;

/** Which cell failed, as the driver wrote it down. */
export async function readNotebookFailure({ out }: JobDirectory): Promise<Failure | undefined> {
  return parseFailure(parsedJson(await readFromNode(join(out, FAILURE_FILE), LARGEST_FAILURE)));
}

function inputOf({ task }: JobDirectory): string {
  return join(task, NOTEBOOK);
}

function driverOf({ task }: JobDirectory): string {
  return join(task, 'jupyter.py');
}
