import { afterAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { buildRunners } from '../../src/runners/registry.ts';
import { asRoot, removeRoot, run, temporaryRoot, workload } from './workloads.ts';

const root = temporaryRoot();
const settings = { jobsRoot: join(root, 'jobs'), urls: { allowHosts: [], fileRoots: [] } };
afterAll(() => removeRoot(root));

describe('the runners of a site', () => {
  test('are made by name, say what they run, and share their directory', async () => {
    const runners = buildRunners(['process', 'notebook', 'process'], { ...settings, python: '/bin/sh' });
    expect([...runners.keys()]).toEqual(['process', 'notebook']);
    expect(runners.get('process')?.describe()).toEqual({
      name: 'process', runs: ['executable', 'python-program'], users: asRoot ? 'own' : 'service', network: 'host', jobsRoot: settings.jobsRoot });
    expect(runners.get('notebook')?.describe()).toMatchObject({ name: 'notebook', runs: ['jupyter-notebook', 'python-program'] });
    for (const runner of runners.values()) await runner.close();
  });

  test('run a Python program with the interpreter that the site names', async () => {
    const runner = buildRunners(['process'], { ...settings, python: '/bin/sh' }).get('process');
    const work = workload({ type: 'python-program', program: { kind: 'inline', text: 'test "$1" = "a b"' }, arguments: ['a b'] });
    expect(await (runner && run(runner, work))).toMatchObject({ kind: 'completed' });
    await runner?.close();
  });

  test('that cannot work say why when the service starts', () => {
    expect(() => buildRunners(['process'], { ...settings, python: 'python3' })).toThrow(
      expect.objectContaining({ message: 'the runner process cannot work here', cause: expect.objectContaining({ message: expect.stringContaining('python3 is not') }) }));
  });
});
