import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolders } from '../places/folders.ts';
import { errorCode, errorText } from '../words/system-error.ts';
import { Misused, readPlain } from './words.ts';

const TEMPLATE = fileURLToPath(new URL('plugin-template/', import.meta.url));
const SERVICE = fileURLToPath(new URL('../../', import.meta.url));
const FILES = ['plugin.mjs', 'plugin.test.mjs', 'tsconfig.json'];
const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/**
 * `planner new-plugin DIR`: writes a plug-in with an engine, its check by the compiler and its test.
 *
 * @returns 0; 1 when the folder is there or cannot be written
 * @throws Misused for a name that no plug-in can have
 */
export async function newPlugin(words: readonly string[]): Promise<number> {
  const [folder = ''] = readPlain(words, { least: 1 });
  const name = basename(resolve(folder));
  if (!NAME.test(name))
    throw new Misused(`'${name}' must be lower-case letters, digits and dashes`);
  try {
    makeFolders(dirname(folder));
    await mkdir(folder);
    for (const file of FILES) {
      const text = await readFile(join(TEMPLATE, file), 'utf8');
      await writeFile(join(folder, file), text.replaceAll('new-engine', name));
    }
    await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest(name), null, 2)}\n`);
  } catch (error) {
    const why = errorCode(error) === 'EEXIST' ? 'it is there already' : errorText(error);
    console.error(`planner new-plugin: ${folder}: ${why}`);
    return 1;
  }
  console.log(
    `${folder} has a runner '${name}'. Next: cd ${shellWord(folder)} && npm install && npm test\n` +
      `A site uses it with PLUGINS_DIR=${shellWord(resolve(folder, '..'))}`,
  );
  return 0;
}

/**
 * What npm runs in a new plug-in.
 *
 * @param service the folder of the installed service, whose package the tests of a plug-in use
 * @param node the Node of this service: the one in the PATH may be too old to read its TypeScript
 */
export function pluginScripts(service: string, node: string): Readonly<Record<string, string>> {
  // For a dependency on its folder npm would run the service's own scripts. And what npm does not
  // know it removes whenever it installs another package, without `postinstall`.
  const link = 'npm run --silent link';
  return {
    link: `mkdir -p node_modules && ln -sfn ${shellWord(service)} node_modules/execution-planner`,
    postinstall: link,
    pretest: link,
    test: `${shellWord(node)} --no-warnings --test`,
    precheck: link,
    check: 'tsc -p .',
  };
}

function manifest(name: string): object {
  return {
    name,
    private: true,
    type: 'module',
    scripts: pluginScripts(SERVICE, process.execPath),
    devDependencies: { '@types/node': '^24', typescript: '^5.9' },
  };
}

function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
