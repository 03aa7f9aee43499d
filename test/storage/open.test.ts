import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openAccount } from '../../src/storage/credentials.ts';
import { fileNameOf } from '../../src/storage/http.ts';
import { checkCredentials, missingFolders, openStager } from '../../src/storage/open.ts';
import { CannotStart } from '../../src/words/cannot-start.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planner-open-'));
});
afterEach(() => rm(folder, { recursive: true }));

function service(credentials: string | undefined) {
  return { endpoint: 'https://s3.example.org', region: 'eu-1', credentials };
}
const none = { storage: [], s3: [], rucio: [], fetch: { allowHosts: [], fileRoots: [] } };

describe('the storage of a site is opened when the service starts', () => {
  test('keys come from a file in the format of the AWS command line; without one requests are anonymous', async () => {
    const file = join(folder, 'keys');
    await writeFile(file, '[default]\naws_access_key_id=A+/b\n  aws_secret_access_key =  s3cr=t\n');
    expect(await openAccount(service(file))).toEqual({
      endpoint: 'https://s3.example.org',
      region: 'eu-1',
      credentials: { accessKeyId: 'A+/b', secretAccessKey: 's3cr=t' },
    });
    expect((await openAccount(service(undefined))).credentials).toBeUndefined();
  });

  test('a file without keys, or no file, stops the start with its name and without its contents', async () => {
    const file = join(folder, 'keys');
    await expect(openAccount(service(file))).rejects.toThrow(
      `the credentials file ${file} cannot be read`,
    );
    await writeFile(file, 'aws_access_key_id = A\npassword = hunter2');
    const failure = await openAccount(service(file)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CannotStart);
    expect(String(failure)).toContain(file);
    expect(String(failure)).not.toContain('hunter2');
    const place = { kind: 's3', service: service(file), bucket: 'b', prefix: '' } as const;
    await expect(
      checkCredentials({ storage: [{ name: 'a', place }], s3: [], rucio: [] }),
    ).rejects.toThrow(file);
  });

  const stores = (...paths: readonly string[]) =>
    paths.map((path) => ({
      name: path,
      place: { kind: 'directory', path, endpoint: undefined } as const,
    }));
  const opened = (...paths: readonly string[]) =>
    openStager({ ...none, storage: stores(...paths) }, new Map());

  test('a missing directory is made by a start, and only named by a check', async () => {
    const path = join(folder, 'x', 'y');
    const storage = stores(folder, path);
    await openStager({ ...none, storage }, new Map(), 'left');
    expect(await missingFolders(storage)).toEqual([{ path, setting: 'storage[1].path' }]);
    expect(existsSync(join(folder, 'x'))).toBe(false);
    await opened(folder, path);
    expect(await missingFolders(storage)).toEqual([]);
  });

  test('a file, or a path below one, stops the start with its place in the site file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(opened(folder, file)).rejects.toThrow(
      `storage[1].path ${file} cannot be written: it is a file and not a folder; move it away, ` +
        'or set storage[1].path to another folder.',
    );
    await expect(opened(join(file, 'y'))).rejects.toThrow(
      `storage[0].path ${file}/y cannot be made: ${file} cannot be written: it is a file`,
    );
    expect(await readFile(file, 'utf8')).toBe('');
  });

  test('a path where nobody can make a folder stops the start at once', async () => {
    await expect(opened('/proc/planner/storage')).rejects.toThrow(
      'storage[0].path /proc/planner/storage cannot be made: /proc cannot be written: ',
    );
  });
});

describe('the file of a URL', () => {
  test.each([
    ['https://example.org/a/m31.fits?x=1', 'm31.fits'],
    ['https://example.org/', 'data'],
    ['https://example.org/a/b/', 'b'],
    ['https://example.org/%2e%2e', 'data'],
    ['https://example.org/a%2Fb', 'data'],
    ['https://example.org/a%20b', 'a b'],
    ['https://example.org/%ff', 'data'],
  ])('of %s is %s', (url, name) => expect(fileNameOf(url)).toBe(name));
});
