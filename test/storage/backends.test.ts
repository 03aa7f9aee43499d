import { mkdtemp, rename, rm } from 'node:fs/promises';
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
