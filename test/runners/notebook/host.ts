import { expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notebookRunner } from '../../../src/runners/notebook-runner.ts';
import type { Outcome, Runner, Workload } from '../../../src/runners/port.ts';
import { isRecord } from '../../../src/words/record.ts';
import { removeRoot, temporaryRoot, workload } from '../workloads.ts';
import { nbformatProblems } from './nbformat.ts';

export const examples = fileURLToPath(new URL('../../../docs/examples', import.meta.url));

export function program(text: string, words: readonly string[] = []): Workload {
  return workload({ type: 'python-program', program: { kind: 'inline', text }, arguments: words });
}

/** A runner of notebooks in a temporary folder, and readers of its jobs' results. */
export type Notebooks = {
  readonly root: string;
  readonly settings: Parameters<typeof notebookRunner>[0];
  readonly runner: Runner;
  readonly textOf: (work: Workload, path: string) => string;
  /** Outputs of the code cells of an executed notebook, which must be valid. */
  readonly outputsOf: (work: Workload, outcome: Outcome) => readonly unknown[];
  readonly close: () => Promise<void>;
};

export function openNotebooks(): Notebooks {
  const root = temporaryRoot();
  const settings = {
    jobsRoot: join(root, 'jobs'),
    urls: { allowHosts: [], fileRoots: [examples] },
  };
  const runner = notebookRunner(settings);
  const textOf = ({ job }: Workload, path: string): string =>
    readFileSync(join(settings.jobsRoot, job, path), 'utf8');
  return {
    root,
    settings,
    runner,
    textOf,
    outputsOf: (work, outcome) => {
      const found = outcome.results.find(({ id }) => id === 'notebook');
      expect(found).toMatchObject({
        mimeType: 'application/x-ipynb+json',
        path: 'out/notebook.ipynb',
      });
      const notebook: unknown = JSON.parse(textOf(work, found?.path ?? ''));
      expect(nbformatProblems(notebook)).toEqual([]);
      const cells = isRecord(notebook) && Array.isArray(notebook['cells']) ? notebook['cells'] : [];
      return cells.filter((cell) => cell.cell_type === 'code').map((cell) => cell.outputs);
    },
    close: async () => {
      await runner.close();
      removeRoot(root);
    },
  };
}
