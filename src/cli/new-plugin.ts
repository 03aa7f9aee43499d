import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode, errorText } from '../words/system-error.ts';
import { Misused, readPlain } from './words.ts';

const TEMPLATE = fileURLToPath(new URL('plugin-template/', import.meta.url));
/** The installed service, whose package a plug-in's tests use. */
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
    await mkdir(dirname(folder), { recursive: true });
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
    `${folder} has a runner '${name}'. Next: cd ${folder} && npm install && npm test\n` +
      `A site uses it with PLUGINS_DIR=${resolve(folder, '..')}`,
  );
  return 0;
}

function manifest(name: string): object {
  return {
    name,
    private: true,
    type: 'module',
    // The Node of this service: the one in the PATH may be too old to read the kit's TypeScript.
    scripts: {
      // For a dependency on its folder npm would run the service's own scripts.
      postinstall: `mkdir -p node_modules && ln -sfn '${SERVICE}' node_modules/execution-planner`,
      test: `'${process.execPath}' --no-warnings --test`,
      check: 'tsc -p .',
    },
    devDependencies: { '@types/node': '^24', typescript: '^5.9' },
  };
}
