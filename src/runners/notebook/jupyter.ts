import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openCopy } from '../../places/open-copy.ts';
import type { NonEmpty } from '../../words/ids.ts';
import { resolveProgram } from '../process/start/host.ts';
import type { JobDirectory } from '../run/directory.ts';

/** The modules of the driver and of a kernel. */
const MODULES = ['nbclient', 'nbformat', 'nbconvert', 'jupyter_client', 'ipykernel'];

// `-I`: neither the environment of the service nor a file of the job can replace a module.
const CHECK =
  'import importlib.util, sys; print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name) is None])';

/**
 * Checks that an interpreter has Jupyter.
 *
 * @throws Error that says what to change or to install
 */
export function mustHaveJupyter(python: string): void {
  if (resolveProgram(python, '/') !== python)
    throw new Error(`jupyter must be the absolute path of an interpreter, and ${python} is not`);
  const { status, stdout, stderr } = spawnSync(python, ['-I', '-c', CHECK, ...MODULES], {
    encoding: 'utf8',
    timeout: 30_000,
    env: {},
  });
  if (status !== 0) throw new Error(`${python} cannot be asked for its modules: ${stderr}`);
  const missing = stdout.trim();
  if (missing !== '')
    throw new Error(
      `${python} has no ${missing}. Debian: apt-get install python3-nbclient python3-nbconvert python3-ipykernel`,
    );
}

/** jupyter.py, where users of jobs can read it. */
export function findDriver(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return join(openCopy(here, ['jupyter.py']), 'jupyter.py');
}

/**
 * Where Jupyter and the packages of notebooks keep their files: not in the working directory, whose
 * files are results.
 */
export function jupyterEnvironment({ tmp }: JobDirectory): Readonly<Record<string, string>> {
  return {
    IPYTHONDIR: join(tmp, 'ipython'),
    JUPYTER_RUNTIME_DIR: join(tmp, 'jupyter'),
    JUPYTER_DATA_DIR: join(tmp, 'jupyter'),
    JUPYTER_CONFIG_DIR: join(tmp, 'jupyter'),
    MPLCONFIGDIR: join(tmp, 'matplotlib'),
    XDG_CACHE_HOME: join(tmp, 'cache'),
    PYDEVD_DISABLE_FILE_VALIDATION: '1',
  };
}

/** Executes a notebook and leaves it and its page in `out`. */
export function jupyterCommand(
  python: string,
  driver: string,
  notebook: string,
  { out }: JobDirectory,
): NonEmpty<string> {
  return [python, '-I', driver, notebook, out];
}
