import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCopy } from '../../places/open-copy.ts';

/**
 * What the process of a notebook needs besides the job's own files; all of it
 * can be reached by the job's user.
 */
export type NotebookPrograms = {
  /** the Node of the service */
  readonly node: string;
  /** workers/notebook.ts */
  readonly worker: string;
  /**
   * all that the worker may read; jobs of other users and the service's own files are not among it
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
 * Finds them. As root, what lies below a closed folder such as /root is copied to
 * where users of jobs can reach it.
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
