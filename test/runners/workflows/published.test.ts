import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { interpreterOfType } from '../../../src/runners/workflows/interpreter.ts';
import { removeRoot, temporaryRoot } from '../workloads.ts';

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
