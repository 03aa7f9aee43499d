import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { standInFor } from '../../src/places/data-folder.ts';
import { openCopy } from '../../src/places/open-copy.ts';
import { asRoot } from '../runners/workloads.ts';
import { makeClosedFolder, rootOnly } from './closed-folder.ts';

const { open, closed, remove } = makeClosedFolder();
const PARTS = ['program', 'library'];
const copies = standInFor('execution-planner-copy', closed);
afterAll(() => {
  remove();
  rmSync(copies, { recursive: true, force: true });
});

/** Writes a program that only its owner may run, its library, and a private file. */
function writeParts(root: string): void {
  mkdirSync(join(root, 'library'), { mode: 0o700 });
  writeFileSync(join(root, 'library/greeting'), 'hello', { mode: 0o600 });
  symlinkSync('greeting', join(root, 'library/word'));
  writeFileSync(join(root, 'program'), '#!/bin/sh\ncat "$(dirname "$0")/library/word"\n', {
    mode: 0o700,
  });
  writeFileSync(join(root, 'secret'), 'secret');
}
writeParts(closed);

const onlyRoot = asRoot ? describe : describe.skip;

function runAsNobody(file: string): string {
  return execFileSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', file], {
    cwd: '/',
    encoding: 'utf8',
  });
}

describe('programs that other accounts run', () => {
  test('are run from where they are, when everybody can reach them', () => {
    const root = join(open, 'reachable');
    mkdirSync(root);
    writeParts(root);
    for (const path of ['library', 'library/greeting', 'program'])
      chmodSync(join(root, path), 0o755);
    expect(openCopy(root, PARTS)).toBe(root);
  });
});

onlyRoot(`programs below a closed folder: ${rootOnly}`, () => {
  test('are copied out of a closed folder, and nothing else is', () => {
    const copy = openCopy(closed, PARTS);
    expect(dirname(copy)).toBe(copies);
    expect(readdirSync(copy).toSorted()).toEqual(['library', 'program']);
    expect(runAsNobody(join(copy, 'program'))).toBe('hello');
  });

  test('are copied once, and again when a part of the copy is missing', () => {
    const copy = openCopy(closed, PARTS);
    writeFileSync(join(copy, 'mark'), '');
    expect(openCopy(closed, PARTS)).toBe(copy);
    expect(existsSync(join(copy, 'mark'))).toBe(true);
    rmSync(join(copy, 'library/greeting'));
    expect(openCopy(closed, PARTS)).toBe(copy);
    expect(existsSync(join(copy, 'mark'))).toBe(false);
    expect(runAsNobody(join(copy, 'program'))).toBe('hello');
  });

  test('are copied again when they changed, in place of the copy before', () => {
    const before = openCopy(closed, PARTS);
    writeFileSync(join(closed, 'library/greeting'), 'HELLO');
    utimesSync(join(closed, 'library/greeting'), 1, 1);
    const after = openCopy(closed, PARTS);
    expect(after).not.toBe(before);
    expect(readdirSync(copies)).toEqual([after.slice(copies.length + 1)]);
    expect(readFileSync(join(after, 'library/word'), 'utf8')).toBe('HELLO');
  });
});
