import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readEntries, readManifest } from '../../src/backup/archive.ts';
import { archiveOf, MANIFEST } from './archive-of.ts';

describe('the file of a backup', () => {
  let folder = '';
  let whole: Buffer;
  let written = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-archive-'));
    whole = await archiveOf(MANIFEST);
  });
  afterAll(() => rm(folder, { recursive: true }));
  const fileOf = async (content: string | Buffer): Promise<string> => {
    const file = join(folder, `${(written += 1)}.tar.gz`);
    await writeFile(file, content);
    return file;
  };
  const read = async (file: string): Promise<readonly string[]> => {
    const names: string[] = [];
    await readEntries(file, async (entry) => {
      await delay(1);
      names.push(`${entry.header.name} ${(await buffer(entry)).length}`);
      return 'more';
    });
    return names;
  };

  test('gives its manifest first, and then every entry', async () => {
    const file = await fileOf(whole);
    expect(await readManifest(file)).toEqual(MANIFEST);
    expect((await read(file)).slice(1)).toEqual(['jobs/a/one 60000', 'jobs/a/two 60000']);
  });

  test.each([0, 5, 100, 3000, 60_100, 60_500, 100_000, 120_000, -1])(
    'that ends early, as after %d bytes, is refused with its name and leaves no rejection',
    async (length) => {
      const file = await fileOf(whole.subarray(0, length));
      await expect(read(file)).rejects.toThrow(`${file} ends too early: it is not a whole backup`);
    },
  );

  test('that is something else is refused with its name', async () => {
    for (const content of ['name: x\n', gzipSync('x'.repeat(2000)), await archiveOf({ a: 1 })]) {
      const file = await fileOf(content);
      await expect(readManifest(file)).rejects.toThrow(`${file} is not a backup of the planner`);
    }
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, damaged.length - 8, damaged.length - 4);
    const file = await fileOf(damaged);
    await expect(read(file)).rejects.toThrow(`${file} is damaged: incorrect data check`);
  });

  test('that is a folder, or is not there, is refused with its name', async () => {
    await expect(readManifest(folder)).rejects.toThrow(`${folder} is a folder, not a backup`);
    const none = join(folder, 'none.tar.gz');
    await expect(readManifest(none)).rejects.toThrow(`there is no file ${none}`);
  });

  test('does not take the blame for an error of what it is read for', async () => {
    const mine = new Error('the database is gone');
    await expect(readEntries(await fileOf(whole), () => Promise.reject(mine))).rejects.toBe(mine);
  });
});
