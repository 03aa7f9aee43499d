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

/** A plug-in in TypeScript. */
const PLUGIN = `
import type { Device, Plugin, RunnerPlugin } from 'execution-planner/plugin';
import { openContract } from 'execution-planner/plugin/contract';
type Settings = { readonly queue: string; readonly python?: string };
const polite: RunnerPlugin<Settings> = {
  name: 'polite',
  settings: { type: 'object', required: ['queue'], properties: { queue: { type: 'string' } } },
  executes: ['executable'],
  reach: 'host',
  open: ({ queue }, tools) => tools.localRunner({ before: () => ['nice'].concat(queue) }),
};
const gpus: Readonly<Record<string, readonly Device[]>> = { 'urn:gpu': [{ id: '0', files: [] }] };
const batch: RunnerPlugin<Settings> = {
  name: 'batch',
  settings: {},
  executes: ['executable', 'python-program'],
  reach: 'anywhere',
  handsOutGpus: true,
  parallel: { types: ['executable'] },
  grantsOutbound: () => true,
  isGuaranteed: ({ queue }) => queue === 'reserved',
  interpreters: ['python'],
  devicesOf: () => gpus,
  lackOf: ({ python }, type) =>
    type === 'python-program' && python === undefined ? { key: 'python', hint: 'a path' } : undefined,
  open: ({ python }, tools) =>
    tools.batchRunner(
      {
        name: 'batch',
        title: 'Batch',
        idVariable: 'ID',
        given: [],
        submit: async ({ gres, memory }) => (gres ?? '').length + memory,
        jobs: async () => [],
        cancel: async () => undefined,
        probe: async () => { throw tools.unreachable('no answer'); },
        parallel: {
          hosts: 'cat "$NODES"',
          given: ['NODES'],
          report: { variable: 'REPORT', script: (file) => '#!/bin/sh\\necho >> ' + file },
        },
      },
      { python, gresOf: ({ type, count }) => type + '=' + count.toFixed() },
    ),
};
export default { runners: [polite, batch] } satisfies Plugin;
export const promises: readonly string[] = openContract(async () => ({
  jobsRoot: '/jobs',
  open: () => { throw new Error('none'); },
  isAlive: async () => false,
  close: async () => undefined,
})).promises.map(({ name }) => name);
`;

/** A runner that never heard of any job. */
const PROMISES = `
import { openContract } from 'execution-planner/plugin/contract';
const nothing = async () => undefined;
const runner = {
  name: 'deaf', reach: 'host', submit: nothing, look: async () => ({ state: 'absent' }),
  stop: nothing, remove: nothing, forget: nothing, onEnded: () => undefined, close: nothing,
};
const contract = openContract(async () => ({
  jobsRoot: '/nowhere', open: () => runner, isAlive: async () => false,
  close: async () => console.log('closed'),
}));
for (const index of [0, 10]) {
  const { name, run } = contract.promises[index];
  await run().then(() => console.log('kept: ' + name), () => console.log('broken: ' + name));
}
await contract.close();
`;

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

  test('has types of plug-ins, with which one in TypeScript compiles, and a wrong one does not', async () => {
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024'];
    await project.write('plugin.ts', PLUGIN);
    expect(await project.node(COMPILER, ...options, '--types', '', 'plugin.ts')).toBe('');
    await project.write('wrong.ts', PLUGIN.replace("['nice']", "'nice'").replace('queue:', 'que:'));
    await expect(
      project.node(COMPILER, ...options, '--types', '', 'wrong.ts'),
    ).rejects.toMatchObject({ stdout: expect.stringMatching(/queue[^]*not assignable/) });
  });

  test('has the promises of engines, which find a runner that keeps none', async () => {
    await project.write('promises.mjs', PROMISES);
    expect((await project.node('promises.mjs')).split('\n')).toEqual(
      expect.arrayContaining([
        'broken: a job that is submitted runs and completes, with what it printed',
        'kept: an unknown job is absent; stopping and removing it does nothing',
        'closed',
      ]),
    );
  });

  test('holds the engine, its documentation and js-yaml, and nothing of the service', () => {
    const types = /^dist\/[\w/-]+\.d\.ts$/;
    const kit = /^dist\/(?:words\/[\w-]+|plugins\/package|plugins\/contract\/[\w-]+)\.js$/;
    const engine = /^dist\/(?:vortex|python|yaml)\/[\w/-]+\.(?:js|d\.ts)$/;
    const about = /^(?:docs\/reference\/engine\.md|package\.json|README\.md|LICENSE)$/;
    const bundled = /^node_modules\/(?:js-yaml|argparse|@noble\/hashes)\//;
    const known = [engine, types, kit, about, bundled];
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
