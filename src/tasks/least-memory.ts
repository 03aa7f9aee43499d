import { mebibytes, type Mebibytes } from '../words/units.ts';

/**
 * Least memory of a notebook on any runner: Node and Pyodide alone take 0.17 GB (measured, Node
 * 24.21, Pyodide 314), and Jupyter as much. The planner refuses less, because the runner would
 * fail.
 */
export const NOTEBOOK_LEAST_MEMORY: Mebibytes = mebibytes(256);
