import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Missing } from '../../engines/packages.ts';

const run = promisify(execFile);
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'execution-planner');
const INDEX = process.env['PIP_INDEX_URL'] ?? 'https://pypi.org/simple';

/** The Python 2.7 of `PYTHON2`, of the path or of pyenv; undefined where there is none with pip. */
export function python2(): string | undefined {
  const versions = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const ofPyenv = existsSync(versions)
    ? readdirSync(versions).map((name) => join(versions, name, 'bin', 'python2.7'))
    : [];
  return [process.env['PYTHON2'], 'python2.7', ...ofPyenv].find(
    (path) => path !== undefined && spawnSync(path, ['-m', 'pip', '--version']).status === 0,
  );
}

/** Why the index does not give this package. */
export function missingFromIndex(name: string): Missing {
  try {
    const words = ['-sSfIL', '-m', '30', '-o', '/dev/null', `${INDEX.replace(/\/$/, '')}/${name}/`];
    execFileSync('curl', words, { stdio: 'pipe' });
    return undefined;
  } catch {
    return `${INDEX} does not answer`;
  }
}

/**
 * Installs packages of the index for a Python, once for all runs.
 *
 * @returns the folder for `PYTHONPATH`
 */
export async function installed(python: string, ...packages: readonly string[]): Promise<string> {
  const name = [python, ...packages].join('-').replaceAll(/[^\w.-]+/g, '_');
  const folder = join(CACHE, `friends-${name}`);
  await mkdir(CACHE, { recursive: true });
  // Test files run at the same time. The kernel lets go of the lock of a process that was killed.
  await run(
    'flock',
    [`${folder}.lock`, 'bash', '-euc', MAKE, 'make', folder, python, ...packages],
    { maxBuffer: 2 ** 26 },
  );
  return folder;
}

const MAKE = `
folder=$1 python=$2
shift 2
[ -e "$folder/.whole" ] && exit 0
rm -rf "$folder"
"$python" -m pip install --quiet --disable-pip-version-check --target "$folder" "$@"
touch "$folder/.whole"
`;
