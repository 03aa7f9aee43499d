import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openAccount } from '../../src/storage/credentials.ts';
import { fileNameOf } from '../../src/storage/http.ts';
import { checkCredentials, openStager } from '../../src/storage/open.ts';
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

  test('a missing directory is created; a path that cannot be one stops the start', async () => {
    await openStager(
      {
        ...none,
        storage: [
          {
            name: 'a',
            place: { kind: 'directory', path: join(folder, 'x', 'y'), endpoint: undefined },
          },
        ],
      },
      new Map(),
    );
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(
      openStager(
        {
          ...none,
          storage: [
            { name: 'a', place: { kind: 'directory', path: join(file, 'y'), endpoint: undefined } },
          ],
        },
        new Map(),
      ),
    ).rejects.toThrow(`the storage directory ${join(file, 'y')} cannot be used`);
    expect(await readFile(file, 'utf8')).toBe('');
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
