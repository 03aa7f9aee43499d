// The tarball of npm; `npm pack` gives all files one time, so that equal files make equal bytes.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildEnvironment, root } from './source.mjs';

const FOLDER = join(root, 'clients/typescript');

/** @returns the names of the built files */
export function buildTypescript(/** @type {string} */ folder) {
  if (!existsSync(join(FOLDER, 'package.json')))
    throw new Error('clients/typescript has no package.json: there is no package to build');
  npm('run', 'build', '--silent');
  const packed = npm('pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  return JSON.parse(packed).map(({ filename }) => filename);
}

function npm(/** @type {string[]} */ ...words) {
  return execFileSync('npm', words, {
    cwd: FOLDER,
    env: buildEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 24,
  });
}
