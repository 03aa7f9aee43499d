import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtInEngines } from '../../src/runners/engine.ts';
import { graph, root, sources } from '../harness/import-graph.ts';

/** Files that have the name of an engine in quotes, and what it means there. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  process: { 'src/site/read/defaults.ts': 'the section of the Python of the whole site' },
  notebook: {
    'src/dialects/broker/read/executable.ts': 'a member of a task',
    'src/tasks/python-imports.ts': 'a member of a task',
    'src/tasks/jupyter-notebook.ts': 'a member of a task',
    'src/tasks/forms/notebook.ts': 'a member of a task',
    'src/workflows/snakemake/elsewhere.ts': 'a directive of Snakemake',
    'src/workflows/snakemake/references.ts': 'a directive of Snakemake',
    'src/cli/demo.ts': 'a result',
    'src/uws/print/main-result.ts': 'a result',
    'src/runners/making/made-method.ts': 'the engine whose method it is',
  },
  container: { 'src/dialects/broker/read/executable.ts': 'a type of task' },
  kubernetes: {
    'src/compute/kubernetes.ts': 'a type of compute resource',
    'src/dialects/broker/read/platform.ts': 'a type of compute resource',
    'src/dialects/broker/read/compute.ts': 'a type of compute resource',
    'src/dialects/broker/print/compute.ts': 'a type of compute resource',
    'src/dialects/broker/kinds.ts': 'a type of compute resource',
  },
};

const QUOTES = ["'", '"', '`'];
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;

/** The sandbox of processes, and Jupyter, which nodes of clusters have, too. */
const SHARED = new Set(['process', 'notebook']);

describe('the engines of the service', () => {
  test.each(builtInEngines)(
    '$name is named by its own files and the table alone',
    async ({ name }) => {
      const ofEngine = (file: string): boolean =>
        builtInEngines.some(
          (one) =>
            file.startsWith(`src/runners/${one.name}/`) ||
            file === `src/runners/${one.name}-runner.ts`,
        );
      const found: string[] = [];
      for (const file of await sources()) {
        if (ofEngine(file)) continue;
        const text = (await readFile(join(root, file), 'utf8')).replaceAll(COMMENT, '');
        if (QUOTES.some((quote) => text.includes(`${quote}${name}${quote}`))) found.push(file);
      }
      // A file that no longer has the name leaves the list.
      expect(found.toSorted()).toEqual(Object.keys(ALLOWED[name] ?? {}).toSorted());
    },
  );

  test('are imported by the table and by other engines alone', async () => {
    const alone = builtInEngines.map(({ name }) => name).filter((name) => !SHARED.has(name));
    const ofEngine = new RegExp(
      `^src/runners/(?:${builtInEngines.map(({ name }) => name).join('|')})(?:/|-runner\\.ts$)`,
    );
    const found = (await graph()).filter(
      ({ from, to }) =>
        !ofEngine.test(from) && alone.some((name) => to.startsWith(`src/runners/${name}/`)),
    );
    expect(found.map(({ from, to }) => `${from}: ${to}`).toSorted()).toEqual(
      alone.map((name) => `src/runners/built-in.ts: src/runners/${name}/engine.ts`).toSorted(),
    );
  });

  test('have one loader each, in the folder of the engine', async () => {
    const wrong: string[] = [];
    for (const file of await sources()) {
      const text = await readFile(join(root, file), 'utf8');
      for (const { name } of builtInEngines) {
        const loads = new RegExp(
          String.raw`from '[^']*/${name}-runner\.ts'|import\('[^']*/${name}-runner\.ts'\)`,
        );
        if (loads.test(text) && file !== `src/runners/${name}/engine.ts`)
          wrong.push(`${file}: ${name}`);
      }
    }
    // Engines of plug-ins may be made of processes of this machine.
    expect(wrong).toEqual(['src/runners/tools/open.ts: process']);
  });
});
