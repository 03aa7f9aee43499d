import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StorageFull, type StorageBackend } from '../../src/storage/backend.ts';
import { mebibytes } from '../../src/words/units.ts';
import { parseObjectId, type ObjectId } from '../../src/words/ids.ts';

/** The id of an object, distinguished by a hexadecimal digit. */
export function object(digit: string): ObjectId {
  const id = parseObjectId(`00000000-0000-4000-8000-00000000000${digit}`);
  if (id === undefined) throw new Error('not an object id');
  return id;
}
const SIZE = mebibytes(40);

/** Makes a directory with files in it. */
export async function volumeIn(
  folder: string,
  name: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  const directory = join(folder, name);
  await mkdir(join(directory, 'deep'), { recursive: true });
  for (const [path, content] of Object.entries(files))
    await writeFile(join(directory, path), content);
  return directory;
}

/** The files below a directory. */
export async function contents(directory: string): Promise<readonly string[]> {
  return (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

/**
 * The promises of every place of managed storage (src/storage/backend.ts).
 *
 * @param open called with a temporary folder
 */
export function storageContract(name: string, open: (folder: string) => StorageBackend): void {
  describe(`managed storage in ${name}`, () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'planner-storage-'));
    });
    afterEach(() => rm(folder, { recursive: true }));
    const volume = (
      called: string,
      files: Readonly<Record<string, string | Buffer>>,
    ): Promise<string> => volumeIn(folder, called, files);
    const loaded = async (
      backend: StorageBackend,
      id: ObjectId,
      called: string,
    ): Promise<string> => {
      const directory = await volume(called, {});
      await backend.load(id, directory);
      return directory;
    };

    test('gives one job what another left, and nothing to the first', async () => {
      const id = object('1');
      const backend = open(folder);
      expect(await contents(await loaded(backend, id, 'empty'))).toEqual([]);
      const large = Buffer.alloc(17 * 2 ** 20, 'x');
      await backend.save(
        id,
        await volume('first', { 'a b.txt': 'one', 'deep/b': 'two', large }),
        SIZE,
        undefined,
      );
      const second = await loaded(backend, id, 'second');
      expect(await contents(second)).toEqual(['a b.txt', 'deep/b', 'large']);
      expect(await readFile(join(second, 'deep/b'), 'utf8')).toBe('two');
      expect(large.equals(await readFile(join(second, 'large')))).toBe(true);
    });

    test('becomes equal to what a job leaves: deleted files are gone', async () => {
      const id = object('2');
      const backend = open(folder);
      await backend.save(id, await volume('first', { a: '1', b: '2' }), SIZE, undefined);
      await backend.save(id, await volume('second', { b: '3' }), SIZE, undefined);
      const after = await loaded(backend, id, 'after');
      expect(await contents(after)).toEqual(['b']);
      expect(await readFile(join(after, 'b'), 'utf8')).toBe('3');
    });

    test('takes no more than was offered, and keeps what it had', async () => {
      const id = object('3');
      const backend = open(folder);
      await backend.save(id, await volume('first', { a: 'kept' }), SIZE, undefined);
      await expect(
        backend.save(
          id,
          await volume('second', { b: Buffer.alloc(2 ** 20 + 1) }),
          mebibytes(1),
          undefined,
        ),
      ).rejects.toThrow(StorageFull);
      expect(await contents(await loaded(backend, id, 'after'))).toEqual(['a']);
    });

    test('counts files without content and their folders, too, and a file of all of it fits', async () => {
      const id = object('a');
      const backend = open(folder);
      const whole = Buffer.alloc(2 ** 20);
      await backend.save(id, await volume('first', { a: whole }), mebibytes(1), undefined);
      const empty = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, '']));
      const directory = await volume('second', { ...empty, a: whole.subarray(40 * 512) });
      await backend.save(id, directory, mebibytes(1), undefined);
      await mkdir(join(directory, 'deep', 'er'));
      await rename(join(directory, 'f0'), join(directory, 'deep', 'er', 'f0'));
      await expect(backend.save(id, directory, mebibytes(1), undefined)).rejects.toThrow(
        StorageFull,
      );
      expect(await contents(await loaded(backend, id, 'after'))).toHaveLength(41);
    });

    test('never follows a link, and with an owner takes nothing of other users', async () => {
      const id = object('4');
      const backend = open(folder);
      const secret = join(folder, 'secret');
      await writeFile(secret, 'of the service');
      const directory = await volume('job', { own: 'mine' });
      await symlink(secret, join(directory, 'link'));
      await symlink(folder, join(directory, 'above'));
      await backend.save(id, directory, SIZE, undefined);
      expect(await contents(await loaded(backend, id, 'after'))).toEqual(['own']);
      await link(secret, join(directory, 'hard'));
      await backend.save(id, directory, SIZE, 4_242_424);
      expect(await contents(await loaded(backend, id, 'later'))).toEqual([]);
    });

    test('keeps a file however many folders are around it', async () => {
      const id = object('8');
      const backend = open(folder);
      const directory = await volume('first', {});
      const deep = Array.from({ length: 100 }, () => 'd').join('/');
      await mkdir(join(directory, deep), { recursive: true });
      await writeFile(join(directory, deep, 'a'), 'kept');
      await backend.save(id, directory, SIZE, undefined);
      expect(await contents(await loaded(backend, id, 'after'))).toEqual([`${deep}/a`]);
    });

    test('refuses a name that is not UTF-8 by what it is, and keeps what it had', async () => {
      const id = object('9');
      const backend = open(folder);
      await backend.save(id, await volume('first', { a: 'kept' }), SIZE, undefined);
      const directory = await volume('second', { b: 'new' });
      await writeFile(Buffer.from(`${directory}/deep/caf\u{e9}.txt`, 'latin1'), 'new');
      await expect(backend.save(id, directory, SIZE, undefined)).rejects.toThrow(
        'a name in it is not UTF-8: deep/caf\u{fffd}.txt',
      );
      expect(await contents(await loaded(backend, id, 'after'))).toEqual(['a']);
    });

    test('takes nothing from a folder that became a link, and keeps what it had', async () => {
      const id = object('7');
      const backend = open(folder);
      await backend.save(id, await volume('first', { a: 'kept' }), SIZE, undefined);
      const secrets = { a: 'of the service', 'deep/b': 'too' };
      await symlink(await volume('other', secrets), join(folder, 'job'));
      for (const path of ['job', 'job/deep'])
        await expect(backend.save(id, join(folder, path), SIZE, undefined)).rejects.toThrow(
          'became a link while its files were stored',
        );
      expect(await contents(await loaded(backend, id, 'after'))).toEqual(['a']);
    });

    test('is gone once released, and only that one', async () => {
      const backend = open(folder);
      await backend.save(object('5'), await volume('first', { a: '1' }), SIZE, undefined);
      await backend.save(object('6'), await volume('second', { b: '2' }), SIZE, undefined);
      await backend.release(object('5'));
      await backend.release(object('5'));
      expect(await contents(await loaded(backend, object('5'), 'gone'))).toEqual([]);
      expect(await contents(await loaded(backend, object('6'), 'there'))).toEqual(['b']);
    });
  });
}
