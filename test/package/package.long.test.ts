import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as surface from '../../src/vortex/package.ts';
import { firstColumn, readMarkdown, root, sectionOf } from '../docs/sources/markdown.ts';
import { COMPILER, openProject } from './project.ts';

const MARK = '@@ next block @@';
const page = await readMarkdown('docs/reference/engine.md');
const blocks = page.fences.flatMap((fence, index) =>
  fence.words[0] === 'js'
    ? [
        {
          place: `docs/reference/engine.md:${fence.line}`,
          text: fence.text,
          shown: page.fences[index + 1]?.text ?? '',
        },
      ]
    : [],
);
const program = blocks.map(({ text }) => text).join(`console.log('${MARK}');\n`);

const project = await openProject();
await Promise.all([project.write('example.mjs', program), project.write('example.ts', program)]);
afterAll(() => project.close());

describe('the package', () => {
  test('installs without network, and plain node runs the examples of its documentation', async () => {
    const printed = (await project.node('example.mjs')).split(`${MARK}\n`);
    expect(printed.map((text, index) => ({ place: blocks[index]?.place, text }))).toEqual(
      blocks.map(({ place, shown }) => ({ place, text: shown })),
    );
  });

  test('has types, which the examples of its documentation agree with', async () => {
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2024,dom',
    ];
    expect(await project.node(COMPILER, ...options, 'example.ts')).toBe('');
  });

  test('holds the engine, its documentation and js-yaml, and nothing of the service', () => {
    const engine = /^dist\/(?:vortex|python|yaml)\/[\w/-]+\.(?:js|d\.ts)$/;
    const about = /^(?:docs\/reference\/engine\.md|package\.json|README\.md|LICENSE)$/;
    const bundled = /^node_modules\/(?:js-yaml|argparse|@noble\/hashes)\//;
    const known = [engine, about, bundled];
    expect(project.files.filter((file) => !known.some((one) => one.test(file)))).toEqual([]);
    expect(project.files).toContain('dist/vortex/package.d.ts');
  });

  test('exports its engine and no internals', async () => {
    await project.write(
      'deep.mjs',
      "await import('execution-planner/dist/vortex/map.js').catch(({ code }) => console.log(code));",
    );
    expect(await project.node('deep.mjs')).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  });

  test('has the same name for its sources inside the project', async () => {
    const program = "console.log(import.meta.resolve('execution-planner/vortex'))";
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program],
      { cwd: root },
    );
    expect(stdout.trim()).toBe(pathToFileURL(join(root, 'src/vortex/package.ts')).href);
  });

  test('leaves the project as it was when it is packed', async () => {
    expect(project.manifestAfter).toBe(await readFile(join(root, 'package.json'), 'utf8'));
  });
});

describe('docs/reference/engine.md', () => {
  test('names every function and class of the package and no other', () => {
    expect(firstColumn(sectionOf(page, '## All functions')).toSorted()).toEqual(
      Object.keys(surface).toSorted(),
    );
  });
});
