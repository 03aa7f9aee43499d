import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openPasswords } from '../../src/identity/basic/passwords.ts';
import { readSecret } from '../../src/identity/sign-in/client-secret.ts';
import { readPlainFile } from '../../src/places/plain-file.ts';
import { readRuleFiles } from '../../src/rules/read.ts';
import { loadSite } from '../../src/site/load.ts';

describe('a file that an operator names', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'planner-plain-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('is read, through a link too', async () => {
    writeFileSync(join(root, 'file'), 'text');
    symlinkSync('file', join(root, 'link'));
    expect((await readPlainFile(join(root, 'link'))).toString('utf8')).toBe('text');
  });

  test('is an error, and nothing to wait for, when it is a pipe, a device or a folder', async () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const why = 'it is a pipe or a device, and not a file';
    await expect(readPlainFile('/dev/zero')).rejects.toThrow(why);
    await expect(readPlainFile(root)).rejects.toThrow('EISDIR');
    await expect(loadSite(pipe)).rejects.toThrow(`${pipe}:1:1: the file cannot be read: ${why}`);
    await expect(
      readRuleFiles({
        rules: [{ kind: 'file', path: pipe }],
        ruleHosts: { hosts: [], networks: [] },
      }),
    ).rejects.toThrow(`${pipe}:1:1: the file cannot be read: ${why}`);
    await expect(openPasswords(pipe, () => 0)).rejects.toThrow(why);
    await expect(readSecret({ secret: pipe })).rejects.toThrow(why);
  });
});
