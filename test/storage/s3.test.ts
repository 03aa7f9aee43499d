import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { s3Client, type S3Account } from '../../src/storage/s3.ts';
import { createStager } from '../../src/storage/stager.ts';
import { startS3, type TestS3 } from '../harness/s3.ts';

const MIB = 2 ** 20;

describe('data of a bucket', () => {
  let s3: TestS3;
  let door: Server;
  let open: S3Account;
  let folder: string;
  /** the credentials of requests */
  const shown: (string | undefined)[] = [];

  /**
   * A public bucket: only requests without credentials are allowed, and one object is closed to
   * everybody.
   */
  beforeAll(async () => {
    s3 = await startS3('pub');
    const { hostname, port } = new URL(s3.account.endpoint);
    door = createServer((asked, answer) => {
      shown.push(asked.headers.authorization);
      if (asked.headers.authorization !== undefined || asked.url?.includes('secret'))
        return void answer.writeHead(403).end();
      if (asked.url?.includes('busy')) return void answer.writeHead(503).end();
      asked.pipe(
        request(
          { hostname, port, method: asked.method, path: asked.url, headers: asked.headers },
          (got) => {
            answer.writeHead(got.statusCode ?? 500, got.headers);
            got.pipe(answer);
          },
        ),
      );
    });
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
    const address = door.address();
    open = {
      endpoint: `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
      region: 'us-east-1',
      credentials: undefined,
    };
    for (const Key of ['a.txt', 'deep/b.txt'])
      await s3Client(s3.account).send(new PutObjectCommand({ Bucket: 'pub', Key, Body: Key }));
  });
  afterAll(async () => {
    await new Promise((done) => door.close(done));
    await s3.close();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-s3-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const load = (
    what: { readonly prefix: string } | { readonly object: string },
    bucket = 'pub',
    account = open,
  ): Promise<number> =>
    createStager({
      backends: new Map(),
      s3: new Map([[account.endpoint, s3Client(account)]]),
      urls: { allowHosts: [], fileRoots: [] },
      adapters: new Map(),
    }).load(
      {
        kind: 'external',
        name: 'v',
        source: { kind: 's3', endpoint: account.endpoint, bucket, what },
      },
      folder,
      MIB,
    );

  test('that is public is read without credentials, even where the environment has some', async () => {
    const [id, secret] = [process.env['AWS_ACCESS_KEY_ID'], process.env['AWS_SECRET_ACCESS_KEY']];
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'of', AWS_SECRET_ACCESS_KEY: 'somebody' });
    try {
      expect(await load({ object: 'a.txt' })).toBe(5);
    } finally {
      for (const [key, value] of [
        ['AWS_ACCESS_KEY_ID', id],
        ['AWS_SECRET_ACCESS_KEY', secret],
      ] as const) {
        if (value === undefined) Reflect.deleteProperty(process.env, key);
        else process.env[key] = value;
      }
    }
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('a.txt');
    expect(await load({ prefix: 'deep/b' })).toBeGreaterThan(5);
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((one) => one !== undefined)).toEqual([]);
  });

  test.each([
    [
      'an object that is not there',
      { object: 'absent.txt' },
      'pub',
      'the volume v: the service has no object absent.txt in a bucket pub',
    ],
    [
      'a prefix that no key begins with',
      { prefix: 'deeep/' },
      'pub',
      'the volume v: no object in a bucket pub has a key that begins with deeep/',
    ],
    [
      'a bucket that is not there',
      { prefix: '' },
      'nothing',
      'the volume v: the service has no bucket nothing',
    ],
    [
      'an object that is not ours to read',
      { object: 'secret' },
      'pub',
      'the volume v: the service does not let this site read object secret in a bucket pub',
    ],
    [
      'a bucket that is not ours to read',
      { prefix: '' },
      'secret',
      'the volume v: the service does not let this site read bucket secret',
    ],
  ])(
    'fails with a sentence that names %s, and a retry does not help',
    async (_, what, bucket, message) => {
      await expect(load(what, bucket)).rejects.toMatchObject({
        code: 'storage-load-failed',
        message,
        transient: false,
      });
    },
  );

  test('from a service that is too busy may be there later', async () => {
    await expect(load({ object: 'busy' })).rejects.toMatchObject({
      code: 'storage-load-failed',
      message: expect.stringContaining('the service answers 503'),
      transient: true,
    });
  });
});
