import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { root } from '../harness/import-graph.ts';

const EXAMPLE = join(root, 'docs/examples/plugins/grid-engine/plugin.mjs');
const COMPILER = join(root, 'node_modules/typescript7/bin/tsc');
const MOST_LINES = 250;

test(`the plug-in for Grid Engine has at most ${MOST_LINES} lines, and the compiler finds no mistake`, async () => {
  const text = await readFile(EXAMPLE, 'utf8');
  expect(text.split('\n').length - 1).toBeLessThanOrEqual(MOST_LINES);
  expect(await compiled(text)).toBe('');
  expect(await compiled(text.replace("title: 'Grid Engine',", 'title: 1,'))).toContain(
    "'number' is not assignable to type 'string'",
  );
  const parallel = "parallel: { hosts: 'hosts', given: [] }, title: 'Grid Engine',";
  expect(await compiled(text.replace("title: 'Grid Engine',", parallel))).toContain(
    "Property 'report' is missing",
  );
});

/** Checks a plug-in as that of `planner new-plugin` is checked. @returns what is wrong */
async function compiled(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-compile-'));
  const config = {
    extends: join(root, 'src/cli/plugin-template/tsconfig.json'),
    compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
    files: ['plugin.mjs'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await writeFile(join(folder, 'plugin.mjs'), text);
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/execution-planner'));
  try {
    await promisify(execFile)(process.execPath, [COMPILER, '-p', folder], { cwd: root });
    return '';
  } catch (error) {
    return String(Object(error).stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
