import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { s3Backend, s3Client, type S3Account } from '../../src/storage/s3.ts';
import { createStager } from '../../src/storage/stager.ts';
import { mebibytes } from '../../src/words/units.ts';
import { startS3, type TestS3 } from '../harness/s3.ts';
import { object } from './contract.ts';

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

describe('a service that is not what it should be', () => {
  let folder: string;
  let server: Server;
  let answer: RequestListener;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-s3-'));
    server = createServer((asked, sent) => answer(asked, sent));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterEach(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
    await rm(folder, { recursive: true });
  });

  const account = (): S3Account => {
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    return { endpoint: `http://127.0.0.1:${port}`, region: 'r', credentials: undefined };
  };
  const load = (
    what: { readonly prefix: string } | { readonly object: string },
    patience?: Parameters<typeof s3Client>[1],
  ): Promise<number> => {
    const { endpoint } = account();
    return createStager({
      backends: new Map(),
      s3: new Map([[endpoint, s3Client(account(), patience)]]),
      urls: { allowHosts: [], fileRoots: [] },
      adapters: new Map(),
    }).load(
      { kind: 'external', name: 'v', source: { kind: 's3', endpoint, bucket: 'pub', what } },
      folder,
      MIB,
    );
  };
  const list = (end: string, ...keys: readonly string[]): string =>
    `<ListBucketResult><Name>pub</Name>${keys
      .map((key) => `<Contents><Key>${key}</Key><Size>3</Size></Contents>`)
      .join('')}${end}</ListBucketResult>`;
  const whole = '<IsTruncated>false</IsTruncated>';
  /** A list, and a body for each of its objects. */
  const lists =
    (text: string, body: string | Buffer = 'abc', isAnnounced = true): RequestListener =>
    ({ url, method }, sent) => {
      if (method === 'HEAD') return void sent.writeHead(200, { 'content-length': 3 }).end();
      if (url?.includes('list-type') === true) return void sent.end(text);
      const length = isAnnounced ? { 'content-length': Buffer.byteLength(body) } : {};
      return void sent.writeHead(200, { etag: '"x"', ...length }).end(body);
    };

  test('fills no disc: an object that is larger than was said of it is not written', async () => {
    const large = Buffer.alloc(3 * MIB);
    for (const isAnnounced of [true, false]) {
      const key = isAnnounced ? 'a' : 'b';
      const code = isAnnounced ? 'storage-too-large' : 'storage-load-failed';
      answer = lists(list(whole, `d/${key}`), large, isAnnounced);
      await expect(load({ prefix: 'd/' })).rejects.toMatchObject({ code });
      await expect(load({ object: `one-${key}` })).rejects.toMatchObject({ code });
    }
    const sizes = await Promise.all(
      (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
    );
    expect(sizes).toEqual([0, 0, 0, 0]);
  });

  test.each([
    ['half a list', list('<IsTruncated>true</IsTruncated>', 'd/a'), 'goes on'],
    ['a page of HTML', '<html><head><title>Sign in</title></head></html>', 'no list'],
    ['only keys that are no files below the prefix', list(whole, 'd/', 'd/x//y'), 'no object'],
  ])('gives a job no part of its data: %s', async (_, text, message) => {
    answer = lists(text);
    await expect(load({ prefix: 'd/' })).rejects.toMatchObject({
      code: 'storage-load-failed',
      message: expect.stringContaining(message),
    });
  });

  test('does not list without an end', async () => {
    const keys = Array.from({ length: 100 }, (_, at) => `d/${at}`);
    let page = 0;
    answer = (_asked, sent) => {
      page += 1;
      const more = `<NextContinuationToken>${page}</NextContinuationToken>`;
      sent.end(list(`<IsTruncated>true</IsTruncated>${more}`, ...keys));
    };
    await expect(load({ prefix: 'd/' })).rejects.toMatchObject({ code: 'storage-too-large' });
  });

  test('is waited for only so long when it falls silent', async () => {
    answer = () => undefined;
    const patience = { connectionTimeout: 200, socketTimeout: 200 };
    await expect(load({ prefix: 'd/' }, patience)).rejects.toMatchObject({
      code: 'storage-load-failed',
      transient: true,
    });
  });

  test('of names that it could not list, none is stored', async () => {
    const puts: (string | undefined)[] = [];
    answer = ({ method, url }, sent) => {
      if (method === 'PUT') puts.push(url);
      sent.end(list(whole));
    };
    const backend = s3Backend(account(), 'pub', '');
    const long = join(folder, ...Array.from({ length: 5 }, () => 'd'.repeat(250)));
    for (const make of [
      () => writeFile(join(folder, 'a\u0001'), ''),
      () => mkdir(long, { recursive: true }).then(() => writeFile(join(long, 'a'), '')),
    ]) {
      await writeFile(join(folder, '0'), '');
      await make();
      await expect(backend.save(object('1'), folder, mebibytes(1), undefined)).rejects.toThrow(
        /a name in it (?:has a character that S3 cannot list|is too long for S3)/,
      );
      for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    }
    expect(puts).toEqual([]);
  });
});
