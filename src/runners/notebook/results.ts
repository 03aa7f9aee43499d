import { join } from 'node:path';
import { fileResult } from '../run/results.ts';
import type { RunMethod } from '../process/start/run-method.ts';
import { EXECUTED_NOTEBOOK, RENDERED_NOTEBOOK } from './plan.ts';

/** The executed notebook and its page, if they were written. */
export const notebookResults: RunMethod['results'] = async ({ root, out }, taken) => {
  taken.add('notebook').add('html');
  return [
    ...(await fileResult(
      root,
      join(out, EXECUTED_NOTEBOOK),
      'notebook',
      'application/x-ipynb+json',
    )),
    ...(await fileResult(root, join(out, RENDERED_NOTEBOOK), 'html', 'text/html; charset=utf-8')),
  ];
};
