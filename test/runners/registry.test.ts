import { afterAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInEngines, type Engine } from '../../src/runners/engine.ts';
import { buildRunners } from '../../src/runners/registry.ts';
import { builtInTypes } from '../../src/tasks/registry.ts';
import { FOUR_ENGINES } from '../engines/four-engines.ts';
import { FOUR_TASKS } from '../engines/four-tasks.ts';
import { newJob, removeRoot, runJob, temporaryRoot, workload } from './workloads.ts';

function process(python: string): Engine {
  return { runner: 'process', python };
}
const root = temporaryRoot();
const settings = { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [] } };
afterAll(() => removeRoot(root));

describe('the runners of a site', () => {
  test('are one for each engine, however many destinations use it', async () => {
    const runners = await buildRunners(
      new Map<string, Engine>([
        ['a', process('/bin/sh')],
        ['b', { runner: 'notebook', jupyter: undefined }],
        ['c', process('/bin/sh')],
      ]),
      settings,
    );
    expect(runners.all.map(({ name }) => name)).toEqual(['process', 'notebook']);
    expect(runners.of('c', 'process')).toBe(runners.of('a', 'process'));
    expect(runners.of('gone', 'notebook')).toBe(runners.of('b', 'notebook'));
    // A job of `a` from before it got this runner.
    expect(runners.of('a', 'notebook')).toBe(runners.of('b', 'notebook'));
    expect(runners.of('a', 'never')).toBeUndefined();
    expect(runners.of('gone', 'never')).toBeUndefined();
    for (const runner of runners.all) await runner.close();
  });

  test('run a Python program with the interpreter that the site names', async () => {
    const runners = await buildRunners(new Map([['a', process('/bin/sh')]]), settings);
    const runner = runners.of('a', 'process');
    const {
      job: _job,
      claim,
      task,
      ...machine
    } = workload({
      type: 'python-program',
      program: { kind: 'inline', text: 'test "$1" = "a b"' },
      arguments: ['a b'],
    });
    expect(
      await (runner && runJob(runner, { job: newJob(), claim, task, machines: [machine] })),
    ).toMatchObject({ kind: 'completed' });
    await runner?.close();
  });

  test('that cannot work say why when the service starts', async () => {
    await expect(buildRunners(new Map([['a', process('python3')]]), settings)).rejects.toThrow(
      expect.objectContaining({
        message: 'the runner process cannot work here',
        cause: expect.objectContaining({ message: expect.stringContaining('python3 is not') }),
      }),
    );
  });
});

describe('every runner', () => {
  test.each(builtInEngines)('$name passes the contract', async ({ name }) => {
    const tests = await Promise.all(
      ['test/runners', 'test/engines'].map(async (folder) =>
        (await readdir(folder, { recursive: true }))
          .filter((file) => file.endsWith('.test.ts'))
          .map((file) => join(folder, file)),
      ),
    );
    const texts = await Promise.all(tests.flat().map((file) => readFile(file, 'utf8')));
    const call = new RegExp(String.raw`\brunnerContract\(\s*['\`]${name}\b`);
    expect(texts.some((text) => call.test(text))).toBe(true);
  });
});

describe('every task type', () => {
  const forms = builtInTypes.all.map(({ name }) => name).filter((name) => name !== 'helm-chart');

  test.each(forms)('%s is among the tasks that real engines execute', (form) => {
    // An engine uses the first of its forms that a task has.
    const used = FOUR_ENGINES.flatMap((engine) =>
      FOUR_TASKS.map((task) => engine.forms.find((one) => task.forms[one] !== undefined)),
    );
    expect(used).toContain(form);
  });
});
