// Builds the console: `src/console` becomes `src/generated/console`, a page and files whose names
// have a digest of their content, each also compressed. Offline. `npm run console` builds again,
// with `-- --watch` after every change.
import { createRequire } from 'node:module';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const SOURCE = at('src/console');
/** Parts that load later are entries of the output, too. */
const ENTRY = 'src/console/main.tsx';
const TARGET = at('src/generated/console');
/** Becomes the target when it is whole: a service may read that at any time. */
const NEXT = at('src/generated/console.next');
/** Packages whose code is in the built files. */
const CONTAINED = ['preact', '@preact/signals', '@preact/signals-core', 'openapi-fetch', 'js-yaml'];

const esbuild = await import('esbuild').catch(() => undefined);
if (esbuild === undefined)
  console.error(
    'The console is not built, because esbuild is not installed; `npm ci` installs it.',
  );
else await build(esbuild, process.argv.includes('--watch'));

async function build(
  /** @type {typeof import('esbuild')} */ { context },
  /** @type {boolean} */ isWatching,
) {
  const built = await context({
    absWorkingDir: at('.'),
    entryPoints: { main: at(ENTRY) },
    outdir: TARGET,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    write: false,
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    logLevel: 'warning',
    plugins: [{ name: 'page', setup: ({ onEnd }) => onEnd(write) }],
  });
  if (isWatching) return built.watch();
  await built.rebuild();
  return built.dispose();
}

/** Writes what was built, if it was, in place of what was there. */
function write(/** @type {import('esbuild').BuildResult} */ { metafile, outputFiles = [] }) {
  if (metafile === undefined) return;
  const [script, output] =
    Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY) ?? [];
  if (script === undefined || output?.cssBundle === undefined)
    throw new Error('esbuild wrote no script or no style sheet');
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replace('%SCRIPT%', nameOf(script))
    .replace('%STYLE%', nameOf(output.cssBundle));
  rmSync(NEXT, { recursive: true, force: true });
  mkdirSync(NEXT, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(NEXT, nameOf(path)), contents);
  writeFileSync(join(NEXT, 'index.html'), page);
  writeFileSync(join(NEXT, 'licences.txt'), licences());
  for (const name of readdirSync(NEXT)) compress(join(NEXT, name));
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(NEXT, TARGET);
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
