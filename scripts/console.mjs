// Builds the console: `src/console` becomes `src/generated/console`, a page and files whose names
// have a digest of their content, each also compressed. Offline. `npm run console` builds again,
// with `-- --watch` after every change.
import { createRequire } from 'node:module';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const SOURCE = at('src/console');
/** Parts that load later are entries of the output, too. */
const ENTRY = 'src/console/main.tsx';
const TARGET = at('src/generated/console');
/** Becomes the target when it is whole: a service may read that at any time. */
const NEXT = at('src/generated/console.next');
/** An editor saves several files at once, and one of them in several steps. */
const QUIET_MS = 100;
/** Packages whose code is in the built files. */
const CONTAINED = ['preact', '@preact/signals', '@preact/signals-core', 'openapi-fetch', 'js-yaml'];

const esbuild = await import('esbuild').catch(() => undefined);
if (esbuild === undefined)
  console.error(
    'The console is not built, because esbuild is not installed; `npm ci` installs it.',
  );
else {
  await build(esbuild);
  if (process.argv.includes('--watch')) follow(esbuild);
}

async function build(/** @type {typeof import('esbuild')} */ { build: bundle }) {
  rmSync(NEXT, { recursive: true, force: true });
  mkdirSync(NEXT, { recursive: true });
  const { metafile } = await bundle({
    absWorkingDir: at('.'),
    entryPoints: { main: at(ENTRY) },
    outdir: NEXT,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    logLevel: 'warning',
  });
  const [script, output] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY) ?? [];
  if (script === undefined || output?.cssBundle === undefined)
    throw new Error('esbuild wrote no script or no style sheet');
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('%SCRIPT%', nameOf(script))
    .replace('%STYLE%', nameOf(output.cssBundle));
  writeFileSync(join(NEXT, 'index.html'), page);
  writeFileSync(join(NEXT, 'licences.txt'), licences());
  for (const name of readdirSync(NEXT)) compress(join(NEXT, name));
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(NEXT, TARGET);
}

/** Builds after every change, one build at a time. */
function follow(/** @type {typeof import('esbuild')} */ esbuild) {
  let last = Promise.resolve();
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const again = () => {
    last = last
      .then(() => build(esbuild))
      .then(
        () => console.log('built: load the page again'),
        (error) => console.error(`not built: ${error.message}`),
      );
  };
  watch(SOURCE, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(again, QUIET_MS);
  });
}

function nameOf(/** @type {string} */ path) {
  return path.split('/').at(-1) ?? path;
}

/** The licence texts of the packages that the built files contain. */
function licences() {
  const require = createRequire(import.meta.url);
  return CONTAINED.map((name) => {
    const folder = folderOf(name, require);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? 'MIT' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  }).join('\n----\n\n');
}

function folderOf(/** @type {string} */ name, /** @type {NodeJS.Require} */ require) {
  let folder = dirname(require.resolve(name));
  while (!folder.endsWith(`node_modules/${name}`)) folder = dirname(folder);
  return folder;
}

function compress(/** @type {string} */ file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
}

function at(/** @type {string} */ path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
