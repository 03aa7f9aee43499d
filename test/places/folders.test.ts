import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { makeFolders } from '../../src/places/folders.ts';

describe('folders within each other', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'planner-folders-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('are made, and may be there already', () => {
    makeFolders(join(root, 'a/b/c'));
    makeFolders(join(root, 'a/b/c'));
    expect(statSync(join(root, 'a/b/c')).isDirectory()).toBe(true);
  });

  test('are an error below a file', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => makeFolders(join(root, 'file'))).toThrow('EEXIST');
    expect(() => makeFolders(join(root, 'file/below/it'))).toThrow('ENOTDIR');
  });

  test('are an error, and not an endless attempt, where a file system takes none', () => {
    expect(() => makeFolders('/proc/planner/a')).toThrow("mkdir '/proc/planner'");
  });
});
