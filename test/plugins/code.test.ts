import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { digestOfCode } from '../../src/plugins/code.ts';
import { loadPlugins } from '../../src/plugins/load.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planner-code-'));
  await mkdir(join(folder, 'one'));
  await file('one/plugin.mjs', 'export default {};');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the folder of a plug-in', () => {
  test.each([
    ['the lock of an editor', 'one/.#plugin.mjs', 'user@host.1:2'],
    ['a link to a file that is gone', 'one/gone.mjs', 'nowhere.mjs'],
    ['a link to itself', 'one/self.mjs', 'self.mjs'],
    ['a link to the folder itself', 'one/again', '.'],
    ['a lock beside it', '.#notes', 'user@host.1:2'],
    ['a link beside it to a folder that is gone', 'two', 'nowhere'],
  ])('may have %s, which is no code', async (_, link, target) => {
    const before = await loadPlugins(folder);
    await symlink(target, join(folder, link));
    expect((await loadPlugins(folder)).digest).toBe(before.digest);
  });

  test('has the code of a folder that a link in it leads to', async () => {
    await mkdir(join(folder, 'elsewhere'));
    await file('elsewhere/word.mjs', 'old');
    await symlink('../elsewhere', join(folder, 'one/linked'));
    const before = await digestOfCode(folder, ['one']);
    expect(await digestOfCode(folder, ['one'])).toBe(before);
    await file('elsewhere/word.mjs', 'new');
    expect(await digestOfCode(folder, ['one'])).not.toBe(before);
  });
});

function file(path: string, content: string): Promise<void> {
  return writeFile(join(folder, path), content);
}
