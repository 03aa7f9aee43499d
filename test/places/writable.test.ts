import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mustBeWritable, plainOf } from '../../src/places/writable.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';

describe('a folder that the service writes to', () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'planner-writable-'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  test('is left as it was, and is not created where it is missing', () => {
    mkdirSync(join(root, 'there'));
    for (const name of ['there', 'not/there/yet'])
      mustBeWritable({ folder: join(root, name), setting: 'DATA_DIR' });
    expect(readdirSync(root, { recursive: true })).toEqual(['there']);
  });

  test('is refused with its path and what to do where a file is in its way', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(() => mustBeWritable({ folder: join(file, 'a/b'), setting: 'JOBS_DIR' })).toThrow(
      `JOBS_DIR ${file}/a/b cannot be made: ${file} cannot be written: it is a file and not a ` +
        'folder; move it away, or set JOBS_DIR to another folder.',
    );
  });
});

describe('an error of the file system later in a start', () => {
  const error = (code: string, more: object): Error =>
    Object.assign(new Error(`${code}: no space left on device, copyfile`), { code, ...more });

  test('is a sentence with its path, also where it is the cause of another', () => {
    const full = error('ENOSPC', { path: '/from', dest: '/var/tmp/copy/node' });
    const sentence = new CannotStart(
      '/var/tmp/copy/node cannot be written: its disc is full; make room.',
    );
    expect(plainOf(full)).toEqual(sentence);
    expect(
      plainOf(
        new Error('the runner cannot work here', { cause: error('EROFS', { path: '/data/x' }) }),
      ),
    ).toEqual(
      new CannotStart(
        '/data/x cannot be written: it is on a file system that is mounted read-only; mount it for writing.',
      ),
    );
  });

  test('stays as it is where it is about something else, or has a path already', () => {
    for (const other of [
      error('ENOENT', { path: '/x' }),
      new Error('a defect'),
      new CannotStart('said'),
      'text',
    ])
      expect(plainOf(other)).toBe(other);
  });
});
