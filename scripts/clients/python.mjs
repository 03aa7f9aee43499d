// The wheel and the sdist, by hatchling in an environment that is thrown away.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, cpSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEnvironment, copySources } from './source.mjs';

/** Other versions of these may write other bytes. */
const TOOLS = ['build==1.6.1', 'hatchling==1.33.0'];

/** @returns the names of the built files */
export function buildPython(/** @type {string} */ folder) {
  const own = mkdtempSync(join(tmpdir(), 'planner-clients-'));
  try {
    const [sources, built] = [join(own, 'sources'), join(own, 'built')];
    copySources('clients/python', sources);
    mkdirSync(built);
    const python = environmentIn(join(own, 'venv'));
    run(python, ['-m', 'build', '--no-isolation', '--outdir', built, sources]);
    const names = readdirSync(built);
    for (const name of names) cpSync(join(built, name), join(folder, name));
    return names;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** @returns the Python of a new environment with the tools */
function environmentIn(/** @type {string} */ folder) {
  const { PYTHON = 'python3' } = process.env;
  run(PYTHON, ['-m', 'venv', folder]);
  const python = join(folder, 'bin', 'python');
  run(python, ['-m', 'pip', 'install', '--quiet', ...TOOLS]);
  return python;
}

/** @throws Error with what the program said if it fails */
function run(/** @type {string} */ program, /** @type {string[]} */ words) {
  const options = { env: buildEnvironment(), encoding: 'utf8' };
  const { status, stdout = '', stderr = '', error } = spawnSync(program, words, options);
  if (status === 0) return;
  const said = error?.message ?? `${stdout}${stderr}`.trim();
  throw new Error(`the Python package is not built: ${program} ${words.join(' ')}\n${said}`);
}
