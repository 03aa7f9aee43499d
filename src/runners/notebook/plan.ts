import { isRecord } from '../../words/record.ts';

/**
 * What workers/notebook.ts is to do; written by the runner, read by the worker. Paths are absolute.
 */
export type NotebookPlan = {
  readonly mode: 'notebook' | 'program';
  /** the notebook or the program */
  readonly input: string;
  /** arguments of a program */
  readonly arguments: readonly string[];
  /** directory for the executed notebook, its page and the failure */
  readonly out: string;
  /** directories of this machine and where Python sees them */
  readonly mounts: readonly { readonly directory: string; readonly path: string }[];
  readonly environment: Readonly<Record<string, string>>;
  /** most memory of Python itself, in bytes */
  readonly memory: number;
};

/** Working directory of Python: the job's `work` directory is mounted there. */
export const PYTHON_WORK = '/job';

/** Files that the worker leaves in `out`. */
export const EXECUTED_NOTEBOOK = 'notebook.ipynb';
export const RENDERED_NOTEBOOK = 'notebook.html';

/** Reads a plan back. @throws TypeError when it is not one. */
export function parsePlan(json: string): NotebookPlan {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) throw new TypeError('not a plan of the notebook runner');
  const { mode, input, out, memory, environment } = value;
  if (
    isRecord(environment) &&
    Array.isArray(value['mounts']) &&
    Array.isArray(value['arguments'])
  ) {
    const mounts = value['mounts'].flatMap((mount: unknown) => {
      if (!isRecord(mount) || !isText(mount['directory']) || !isText(mount['path'])) return [];
      return [{ directory: mount['directory'], path: mount['path'] }];
    });
    const variables = Object.entries(environment).flatMap(([name, text]) =>
      isText(text) ? [[name, text]] : [],
    );
    if (
      (mode === 'notebook' || mode === 'program') &&
      isText(input) &&
      isText(out) &&
      typeof memory === 'number'
    ) {
      const words = value['arguments'].filter(isText);
      return {
        mode,
        input,
        arguments: words,
        out,
        mounts,
        environment: Object.fromEntries(variables),
        memory,
      };
    }
  }
  throw new TypeError('not a plan of the notebook runner');
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
