import { afterAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { Engine } from '../../src/runners/engine.ts';
import { buildRunners } from '../../src/runners/registry.ts';
import { newJob, removeRoot, runJob, temporaryRoot, workload } from './workloads.ts';

function process(python: string): Engine {
  return { runner: 'process', python };
}
const root = temporaryRoot();
const settings = { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [] } };
afterAll(() => removeRoot(root));

describe('the runners of a site', () => {
  test('are one for each engine, however many destinations use it', async () => {
    const runners = buildRunners(
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
    expect(runners.of('gone', 'never')).toBeUndefined();
    for (const runner of runners.all) await runner.close();
  });

  test('run a Python program with the interpreter that the site names', async () => {
    const runner = buildRunners(new Map([['a', process('/bin/sh')]]), settings).of('a', 'process');
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

  test('that cannot work say why when the service starts', () => {
    expect(() => buildRunners(new Map([['a', process('python3')]]), settings)).toThrow(
      expect.objectContaining({
        message: 'the runner process cannot work here',
        cause: expect.objectContaining({ message: expect.stringContaining('python3 is not') }),
      }),
    );
  });
});
