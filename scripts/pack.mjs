// Makes the package for `npm pack`: the engine as JavaScript with its types, since Node strips no
// types below node_modules, and a manifest without the service. `prepack` runs `node
// scripts/pack.mjs build`, `postpack` runs `node scripts/pack.mjs restore`; in between,
// package.json is the manifest of the package.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
const MANIFEST = at('package.json');
/** The project's own manifest, while the package's is in its place. */
const OWN = at('dist/package.json.own');

const [step] = process.argv.slice(2);
if (step === 'build') build();
else if (step === 'restore') restore();
else throw new Error(`node scripts/pack.mjs build or restore, not '${step ?? ''}'`);

function build() {
  // A killed run may have left the package's manifest.
  restore();
  const own = readFileSync(MANIFEST, 'utf8');
  compile();
  copyFileSync(MANIFEST, OWN);
  writeFileSync(MANIFEST, `${JSON.stringify(packaged(JSON.parse(own)), null, 2)}\n`);
}

function restore() {
  if (existsSync(OWN)) renameSync(OWN, MANIFEST);
  removeBuilt();
}

/** Removes what the compiler writes; `npm run clients` has packages in `dist`, too. */
function removeBuilt() {
  for (const name of readdirSync(at('src')))
    for (const built of [name, name.replace(/\.ts$/, '.js'), name.replace(/\.ts$/, '.d.ts')])
      rmSync(at(`dist/${built}`), { recursive: true, force: true });
}

function at(/** @type {string} */ path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** Writes the JavaScript and the types to dist, or nothing. */
function compile() {
  const tsc = [at('node_modules/typescript7/bin/tsc'), '-p', at('scripts/package.tsconfig.json')];
  try {
    // npm uses standard output.
    execFileSync(process.execPath, tsc, { stdio: ['ignore', process.stderr, 'inherit'] });
  } catch (error) {
    removeBuilt();
    throw error;
  }
}

/**
 * The manifest of the package. It contains js-yaml and the hashes, so the engine needs no other
 * package.
 */
function packaged(
  /** @type {Record<string, any>} */ {
    name,
    version,
    license,
    private: isPrivate,
    type,
    engines,
    dependencies,
  },
) {
  return {
    name,
    version,
    description:
      'The TPV engine of ExecutionPlanner: rule files and the description of a job in, a decision with its explanation out. Types and the contract of plug-ins',
    license,
    private: isPrivate,
    type,
    engines,
    exports: {
      './vortex': { types: './dist/vortex/package.d.ts', default: './dist/vortex/package.js' },
      './plugin': { types: './dist/plugins/package.d.ts', default: './dist/plugins/package.js' },
      './plugin/contract': {
        types: './dist/plugins/contract/contract.d.ts',
        default: './dist/plugins/contract/contract.js',
      },
      './package.json': './package.json',
    },
    files: [
      'dist/vortex',
      'dist/python',
      'dist/yaml',
      'dist/words',
      'dist/plugins/contract',
      'dist/plugins/package.js',
      // Types of the service that plug-ins see; their code stays in the service.
      'dist/**/*.d.ts',
      'docs/reference/engine.md',
    ],
    dependencies: {
      '@noble/hashes': dependencies['@noble/hashes'],
      'js-yaml': dependencies['js-yaml'],
    },
    bundleDependencies: ['@noble/hashes', 'js-yaml'],
  };
}
