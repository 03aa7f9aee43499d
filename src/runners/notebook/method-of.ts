import type { EnvironmentTerms } from '../../environments/environment.ts';
import { madeMethod } from '../making/made-method.ts';
import type { Maker } from '../making/maker.ts';
import { jupyterMethod } from './jupyter-method.ts';
import type { NotebookMethod } from './method.ts';
import { pyodideMethod } from './pyodide-method.ts';

/** The way to run notebooks and Python programs in an environment. */
export function methodOf(terms: EnvironmentTerms, maker: Maker): NotebookMethod {
  if (terms.kind === 'pyodide') return pyodideMethod();
  if (terms.kind === 'venv') return madeMethod(terms, maker);
  if (terms.kind === 'image') throw new Error('images are for containers');
  const { readable, ...rest } = jupyterMethod(terms.python);
  return { ...rest, readable: [...readable, ...terms.paths] };
}
