import { afterAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtInEngines, type Engine } from '../../src/runners/engine.ts';
import { buildRunners } from '../../src/runners/registry.ts';
import { builtInTypes } from '../../src/tasks/registry.ts';
import { FOUR_ENGINES } from '../engines/four-engines.ts';
import { FOUR_TASKS } from '../engines/four-tasks.ts';
import { newJob, removeRoot, runJob, shell, temporaryRoot, workload } from './workloads.ts';

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
    const { byDestination: by } = runners;
    const of = (destination: string, name: string) => runners.of(destination, name, newJob());
    expect(by.get('c')).toBe(by.get('a'));
    expect(await of('c', 'process')).toBe(by.get('a'));
    expect(await of('gone', 'notebook')).toBe(by.get('b'));
    // A job of `a` from before it got this runner.
    expect(await of('a', 'notebook')).toBe(by.get('b'));
    expect(await of('a', 'never')).toBeUndefined();
    expect(await of('gone', 'never')).toBeUndefined();
    for (const runner of runners.all) await runner.close();
  });

  test('keep the jobs that they got when destinations change', async () => {
    const site = (engines: Readonly<Record<string, Engine>>) =>
      buildRunners(new Map(Object.entries(engines)), settings);
    const before = await site({ a: process('/bin/sh'), b: process('/bin/bash') });
    const { job: _job, claim, task, ...machine } = shell('true');
    const [single, several] = [newJob(), newJob()];
    const b = before.byDestination.get('b');
    await b?.submit({ job: single, claim, task, machines: [machine] });
    await b?.submit({ job: several, claim, task, machines: [machine, machine] });
    const after = await site({
      a: process('/bin/sh'),
      b: { runner: 'notebook', jupyter: undefined },
      c: process('/bin/bash'),
      d: process('/usr/bin/env'),
    });
    for (const known of [single, several])
      for (const destination of ['a', 'b', 'd', 'gone'])
        expect(await after.of(destination, 'process', known)).toBe(after.byDestination.get('c'));
    for (const runner of [...before.all, ...after.all]) await runner.close();
  });

  test('run a Python program with the interpreter that the site names', async () => {
    const runners = await buildRunners(new Map([['a', process('/bin/sh')]]), settings);
    const runner = runners.byDestination.get('a');
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
