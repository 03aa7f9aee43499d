// Writes `dist`: JavaScript, its types, and the types of the contract, which `npm ci` of the
// project has generated.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the contract's types are in the project. */
const GENERATED = '../../../src/generated/api.d.ts';

rmSync(at('dist'), { recursive: true, force: true });
execFileSync(
  process.execPath,
  [at('../../node_modules/typescript7/bin/tsc'), '-p', at('tsconfig.build.json')],
  // npm uses standard output.
  { stdio: ['ignore', process.stderr, 'inherit'] },
);
for (const name of readdirSync(at('dist'), { recursive: true, encoding: 'utf8' }))
  if (name.endsWith('.d.ts')) writeFileSync(at(join('dist', name)), asPackaged(name));
copyFileSync(at('../../src/generated/api.d.ts'), at('dist/api.d.ts'));

/** Types name files as they are there: old compilers know no imports of `.ts`. */
function asPackaged(/** @type {string} */ name) {
  return readFileSync(at(join('dist', name)), 'utf8')
    .replaceAll(GENERATED, './api.js')
    .replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'");
}

function at(/** @type {string} */ path) {
  return fileURLToPath(new URL(path, import.meta.url));
}
