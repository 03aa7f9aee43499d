// `npm run clients [-- --to FOLDER] [python|typescript]`: builds the packages of `clients/` into
// `dist/` (the wheel and the sdist of Python, the tarball of npm) and looks into each.
// `npm run clients -- --check FOLDER` only looks into the packages of a folder.
import { readdirSync, readFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { filesOf } from './clients/archive.mjs';
import { wrongWith } from './clients/contents.mjs';
import { buildPython } from './clients/python.mjs';
import { root } from './clients/source.mjs';
import { buildTypescript } from './clients/typescript.mjs';

const BUILDERS = { python: buildPython, typescript: buildTypescript };

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string', default: join(root, 'dist') }, check: { type: 'string' } },
});

try {
  const folder = resolve(options.check ?? options.to);
  const packages = options.check === undefined ? await build(folder) : packagesOf(folder);
  const wrong = (await Promise.all(packages.map((name) => look(join(folder, name))))).flat();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** @returns the names of the packages that were built */
async function build(/** @type {string} */ folder) {
  const wanted = names.length === 0 ? Object.keys(BUILDERS) : names;
  const unknown = wanted.filter((name) => !Object.hasOwn(BUILDERS, name));
  if (unknown.length > 0) throw new Error(`there is no client ${unknown.join(', ')}`);
  mkdirSync(folder, { recursive: true });
  const built = [];
  for (const name of wanted) built.push(...(await BUILDERS[name](folder)));
  return built;
}

function packagesOf(/** @type {string} */ folder) {
  const found = readdirSync(folder).filter((name) => /\.(?:whl|tar\.gz|tgz)$/.test(name));
  if (found.length === 0) throw new Error(`${folder} has no packages`);
  return found;
}

/** Tells what a package holds. @returns what is wrong with it */
async function look(/** @type {string} */ path) {
  const bytes = readFileSync(path);
  const files = await filesOf(path, bytes);
  console.log(`${path}: ${files.size} files, ${(bytes.length / 1024).toFixed(0)} kB`);
  return wrongWith(path, files);
}
