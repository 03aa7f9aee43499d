import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { directoryBackend } from '../../src/storage/directory.ts';
import { s3Backend } from '../../src/storage/s3.ts';
import { mebibytes } from '../../src/words/units.ts';
import { startS3, type TestS3 } from '../harness/s3.ts';
import { contents, object, storageContract, volumeIn } from './contract.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startS3('managed');
});
afterAll(() => s3.close());

storageContract('a directory tree', (folder) => directoryBackend(join(folder, 'root')));
storageContract('a bucket of S3', () => s3Backend(s3.account, 'managed', 'kept-'));

test('a save to a directory tree that was interrupted between its renames loses nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planner-storage-'));
  const id = object('7');
  const root = join(folder, 'root');
  const backend = directoryBackend(root);
  await backend.save(id, await volumeIn(folder, 'first', { a: '1' }), mebibytes(1), undefined);
  await rename(join(root, id), join(root, `${id}.old`));
  const after = await volumeIn(folder, 'after', {});
  await backend.load(id, after);
  expect(await contents(after)).toEqual(['a']);
  await rm(folder, { recursive: true });
});

test('a directory tree keeps all of one of the volumes that several jobs store at the same time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'planner-storage-'));
  const id = object('8');
  const root = join(folder, 'root');
  const backend = directoryBackend(root);
  const names = Array.from({ length: 20 }, (_, index) => `f${index}`);
  const volumes = await Promise.all(
    ['one', 'two', 'three'].map((job) =>
      volumeIn(folder, job, Object.fromEntries(names.map((name) => [name, job]))),
    ),
  );
  const saveAll = (): Promise<unknown> =>
    Promise.all(volumes.map((directory) => backend.save(id, directory, mebibytes(1), undefined)));
  const writersOf = async (directory: string): Promise<unknown> => {
    const texts = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
    return new Set(texts).size;
  };
  await saveAll();
  for (let round = 0; round < 5; round += 1) {
    const copy = await volumeIn(folder, `copy-${round}`, {});
    await Promise.all([saveAll(), backend.load(id, copy)]);
    expect([await writersOf(join(root, id)), await writersOf(copy)]).toEqual([1, 1]);
    expect(await readdir(root)).toEqual([id]);
  }
  await rm(folder, { recursive: true });
});
