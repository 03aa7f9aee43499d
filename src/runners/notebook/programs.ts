import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCopy } from '../../places/open-copy.ts';

/**
 * The files that the process of a notebook needs besides those of the job; the job's user can reach
 * them.
 */
export type NotebookPrograms = {
  /** the Node of the service */
  readonly node: string;
  /** workers/notebook.ts */
  readonly worker: string;
  /**
   * everything that the worker may read besides the job: no files of other jobs and no other files
   * of the service
   */
  readonly code: readonly string[];
};

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const WORKER = 'workers/notebook.ts';
/**
 * markdown-it comes with the six after it, our task types with ipaddr.js; Pyodide
 * looks for `ws` and must find it.
 */
const PACKAGES = [
  'pyodide',
  'ws',
  'markdown-it',
  'argparse',
  'entities',
  'linkify-it',
  'mdurl',
  'punycode.js',
  'uc.micro',
  'ipaddr.js',
];
const CODE = [
  'package.json',
  WORKER,
  'src/runners',
  'src/tasks',
  'src/words',
  ...PACKAGES.map((name) => `node_modules/${name}`),
];

/**
 * Finds these files. As root, copies those below a closed folder such as /root to a place that
 * users of jobs can reach.
 */
export function findNotebookPrograms(): NotebookPrograms {
  const project = openCopy(PROJECT, CODE);
  const program = basename(process.execPath);
  return {
    node: join(openCopy(dirname(process.execPath), [program]), program),
    worker: join(project, WORKER),
    code: CODE.map((path) => join(project, path)),
  };
}
