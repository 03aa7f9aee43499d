import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { usualResults } from '../../../src/runners/run/settle.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { noteRunWorkflow } from '../../../src/runners/workflows/ending.ts';
import { interpreterOfType } from '../../../src/runners/workflows/interpreter.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

let root = '';
beforeAll(() => {
  root = temporaryRoot();
});
afterAll(() => removeRoot(root));

describe('what a workflow of Nextflow publishes by links', () => {
  test('becomes files, whatever their names are: its outputs, and the inputs that it passes on', () => {
    const [task, work] = [join(root, 'task'), join(root, 'work')];
    const step = join(work, '.nextflow/work/55/c0a12e');
    put(join(task, 'inputs/0/in.txt'), 'input');
    put(join(work, 'volume/v.txt'), 'volume');
    put(join(step, 'q\nr.txt'), 'output');
    put(join(step, 'd/x'), 'inside');
    link(join(task, 'inputs/0/in.txt'), join(step, 'd/in.txt'));
    link(join(task, 'inputs/0/in.txt'), join(step, 'in.txt'));
    const published = {
      'out/q\nr.txt': join(step, 'q\nr.txt'),
      'out/-rf': join(step, 'in.txt'),
      'out/d': join(step, 'd'),
      'out/v.txt': join(work, 'volume/v.txt'),
      'out/hosts': '/etc/hosts',
      'out/all': work,
    };
    for (const [name, target] of Object.entries(published)) link(target, join(work, name));

    finish(task, work);

    const files = ['out/q\nr.txt', 'out/-rf', 'out/d/x', 'out/d/in.txt', 'out/v.txt'];
    const found = files.map((name) => [
      lstatSync(join(work, name)).isFile(),
      readFileSync(join(work, name), 'utf8'),
    ]);
    expect(found).toEqual([
      [true, 'output'],
      [true, 'input'],
      [true, 'inside'],
      [true, 'input'],
      [true, 'volume'],
    ]);
    for (const name of ['out/hosts', 'out/all'])
      expect(lstatSync(join(work, name)).isSymbolicLink()).toBe(true);
  });
});

describe('what Snakemake has for itself', () => {
  test.each(['', 'results/night'])(
    'is no result, wherever its workdir is: "%s"',
    async (workdir) => {
      const place = directoryOf(root, newJob());
      put(join(place.work, workdir, '.snakemake/log/1.log'), 'log');
      put(join(place.work, workdir, '.snakemake/metadata/x'), '{}');
      put(join(place.work, workdir, 'sum.txt'), 'sum');
      await noteRunWorkflow(place, { type: 'snakemake-workflow', work: place.work });
      const results = await usualResults(place, { uid: undefined, staged: [] });
      const names = results.map(({ path }) => path);
      expect(names).toEqual([join('work', workdir, 'sum.txt')]);

      const provenance = join(place.root, 'provenance');
      mkdirSync(provenance);
      const { recording } = interpreterOfType('snakemake-workflow');
      const lines = recording?.({ ...PLACED, work: place.work, provenance }, ['true']) ?? [];
      execFileSync('/bin/sh', ['-c', lines.join('\n')], { cwd: place.work });
      expect(readFileSync(join(provenance, 'log/1.log'), 'utf8')).toBe('log');
      expect(readFileSync(join(provenance, 'metadata/x'), 'utf8')).toBe('{}');
    },
  );
});

const PLACED = {
  document: '/task/Snakefile',
  fragment: '',
  inputs: '/task/inputs.json',
  limits: { cores: millicores(1000), memory: mebibytes(1000) },
  steps: undefined,
};

/** What follows a run, as the job's script has it. */
function finish(task: string, work: string): void {
  const lines = interpreterOfType('nextflow-workflow').afterwards ?? [];
  const script = join(task, 'run.sh');
  writeFileSync(script, lines.join('\n'));
  execFileSync('/bin/sh', [script], { cwd: work });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
