import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { etagOf } from '../../src/storage/digest.ts';
import { StagingFailure } from '../../src/storage/failure.ts';
import { download } from '../../src/storage/s3-download.ts';
import { unfinishedUploads, upload } from '../../src/storage/s3-upload.ts';
import { keysOf } from '../../src/storage/s3-list.ts';
import { s3Backend, s3Client } from '../../src/storage/s3.ts';
import { createStager } from '../../src/storage/stager.ts';
import { mebibytes } from '../../src/words/units.ts';
import { contents, object, storageContract, volumeIn } from '../storage/contract.ts';
import { startSwift, swiftMissing, type Swift } from './swift.ts';
import { withEngine } from './summary.ts';

const MIB = 2 ** 20;

withEngine('s3 (swift)', swiftMissing(), () => {
  let swift: Swift;
  let folder: string;
  beforeAll(async () => {
    swift = await startSwift('data', 'managed');
  });
  afterAll(() => swift?.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'planner-swift-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  storageContract('a bucket of a service that checks signatures', () =>
    s3Backend(swift.account, 'managed', 'kept-'),
  );

  const put = (Key: string, Body: string | Buffer) =>
    s3Client(swift.account).send(new PutObjectCommand({ Bucket: 'data', Key, Body }));
  const external = (
    object_: { readonly prefix: string } | { readonly object: string },
    account = swift.account,
  ) => {
    const stager = createStager({
      backends: new Map(),
      s3: new Map([[account.endpoint, s3Client(account)]]),
      urls: { allowHosts: [], fileRoots: [] },
      adapters: new Map(),
    });
    return (directory: string, limit: number) =>
      stager.load(
        {
          kind: 'external',
          name: 'v',
          source: { kind: 's3', endpoint: account.endpoint, bucket: 'data', what: object_ },
        },
        directory,
        limit,
      );
  };

  /** A proxy before the service that may cut off or change answers. */
  type Spoilt = { readonly bytes: Buffer; readonly cut: boolean };
  const between = async (
    spoil: (answer: Buffer, count: number) => Promise<Spoilt>,
  ): Promise<{
    readonly account: typeof swift.account;
    readonly ranges: string[];
    readonly server: Server;
  }> => {
    const ranges: string[] = [];
    const { port } = new URL(swift.account.endpoint);
    const server = createServer((asked, answer) => {
      const onward = request(
        { host: '127.0.0.1', port, method: asked.method, path: asked.url, headers: asked.headers },
        (got) => {
          const chunks: Buffer[] = [];
          got
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => {
              ranges.push(asked.headers.range ?? 'all');
              void spoil(Buffer.concat(chunks), ranges.length).then(({ bytes, cut }) => {
                answer.writeHead(got.statusCode ?? 500, got.headers);
                if (cut) answer.write(bytes, () => answer.destroy());
                else answer.end(bytes);
              });
            });
        },
      );
      asked.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const at = address !== null && typeof address === 'object' ? address.port : 0;
    return { account: { ...swift.account, endpoint: `http://127.0.0.1:${at}` }, ranges, server };
  };

  test('a wrong key is refused, and the message names no secret', async () => {
    await put('stars.txt', 'Vega');
    const wrong = {
      ...swift.account,
      credentials: { accessKeyId: 'test:tester', secretAccessKey: 'hunter2' },
    };
    const failure = await external({ object: 'stars.txt' }, wrong)(folder, MIB).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StagingFailure);
    expect(failure).toMatchObject({ code: 'storage-load-failed' });
    expect(String(failure)).not.toContain('hunter2');
  });

  test('nobody reads without credentials here, since Swift takes S3 requests only when signed', async () => {
    await put('stars.txt', 'Vega');
    const anonymous = { ...swift.account, credentials: undefined };
    await expect(external({ object: 'stars.txt' }, anonymous)(folder, MIB)).rejects.toThrow(
      /the service answers 4\d\d for object stars.txt in a bucket data/,
    );
  });

  test('an object is called data where its name is no file name', async () => {
    await put(`deep/${'x'.repeat(300)}`, 'Deneb');
    expect(await external({ object: `deep/${'x'.repeat(300)}` })(folder, MIB)).toBe(5);
    expect(await contents(folder)).toEqual(['data']);
  });

  test('objects below a prefix come in, up to the size that fits', async () => {
    await put('images/a.txt', 'first');
    await put('images/deep/b.txt', 'second');
    await put('images/../up.txt', 'outside');
    expect(await external({ prefix: 'images/' })(folder, MIB)).toBe(11);
    expect(await contents(folder)).toEqual(['a.txt', 'deep/b.txt']);
    await expect(external({ prefix: 'images/' })(folder, 5)).rejects.toMatchObject({
      code: 'storage-too-large',
    });
  });

  test('a large file goes up in parts, which the service checks against their MD5 digests', async () => {
    const bytes = randomBytes(33 * MIB);
    const directory = await volumeIn(folder, 'one', { large: bytes });
    await upload(s3Client(swift.account), join(directory, 'large'), bytes.length, 'data', 'large');
    const { ETag, ContentLength } = await s3Client(swift.account).send(
      new HeadObjectCommand({ Bucket: 'data', Key: 'large' }),
    );
    expect([ETag, ContentLength]).toEqual([
      `"${await etagOf(join(directory, 'large'), bytes.length)}"`,
      bytes.length,
    ]);
    expect(ETag).toContain('-3');
    await download(
      s3Client(swift.account),
      { bucket: 'data', key: 'large', ours: true },
      join(folder, 'back'),
      { most: Infinity },
    );
    expect(bytes.equals(await readFile(join(folder, 'back')))).toBe(true);
  });

  test('an interrupted upload goes on where it stopped', async () => {
    const client = s3Client(swift.account);
    const bytes = randomBytes(40 * MIB);
    const directory = await volumeIn(folder, 'one', { large: bytes });
    const target = { Bucket: 'data', Key: 'resumed' };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
    await client.send(
      new UploadPartCommand({
        ...target,
        UploadId,
        PartNumber: 1,
        Body: bytes.subarray(0, 16 * MIB),
      }),
    );
    await client.send(
      new UploadPartCommand({ ...target, UploadId, PartNumber: 2, Body: Buffer.alloc(16 * MIB) }),
    );
    const sent: unknown[] = [];
    client.middlewareStack.add(
      (next, { commandName }) =>
        (args) => {
          if (commandName === 'UploadPartCommand')
            sent.push(Reflect.get(Object(args.input), 'PartNumber'));
          return next(args);
        },
      { step: 'initialize' },
    );
    await upload(client, join(directory, 'large'), bytes.length, 'data', 'resumed');
    // The first part was right; the second belonged to another file.
    expect(sent.sort()).toEqual([2, 3]);
    expect(await unfinishedUploads(client, 'data', 'resumed')).toEqual([]);
    await download(client, { bucket: 'data', key: 'resumed', ours: true }, join(folder, 'back'), {
      most: Infinity,
    });
    expect(bytes.equals(await readFile(join(folder, 'back')))).toBe(true);
  });

  test('what is stored already is not sent again, and a release leaves no parts behind', async () => {
    const backend = s3Backend(swift.account, 'managed', 'kept-');
    const directory = await volumeIn(folder, 'one', { a: 'same', b: 'old' });
    await backend.save(object('8'), directory, mebibytes(1), undefined);
    const key = `kept-${object('8')}/a`;
    const changed = async () =>
      (await s3Client(swift.account).send(new HeadObjectCommand({ Bucket: 'managed', Key: key })))
        .Metadata;
    await s3Client(swift.account).send(
      new PutObjectCommand({
        Bucket: 'managed',
        Key: key,
        Body: 'same',
        Metadata: { touched: 'no' },
      }),
    );
    await backend.save(
      object('8'),
      await volumeIn(folder, 'two', { a: 'same', b: 'new' }),
      mebibytes(1),
      undefined,
    );
    expect(await changed()).toEqual({ touched: 'no' });
    await s3Client(swift.account).send(
      new CreateMultipartUploadCommand({ Bucket: 'managed', Key: `kept-${object('8')}/cut` }),
    );
    await backend.release(object('8'));
    expect(await unfinishedUploads(s3Client(swift.account), 'managed', 'kept-')).toEqual([]);
    expect(
      (await keysOf(s3Client(swift.account), 'managed', `kept-${object('8')}`).next()).done,
    ).toBe(true);
  });

  test('a download whose connection breaks goes on where it stopped', async () => {
    const bytes = randomBytes(3 * MIB);
    await put('cut', bytes);
    const proxy = await between(async (answer, count) => ({
      bytes: count < 3 ? answer.subarray(0, MIB) : answer,
      cut: count < 3,
    }));
    await download(
      s3Client(proxy.account),
      { bucket: 'data', key: 'cut', ours: false },
      join(folder, 'back'),
      { most: Infinity },
    );
    proxy.server.close();
    expect(bytes.equals(await readFile(join(folder, 'back')))).toBe(true);
    expect(proxy.ranges[0]).toBe('all');
    expect(proxy.ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range))).toBe(true);
    expect(proxy.ranges.length).toBeGreaterThan(1);
  });

  test('an object that changed meanwhile, or arrives changed, is no result', async () => {
    await put('changing', randomBytes(2 * MIB));
    const client = s3Client(swift.account);
    const { ETag } = await client.send(new GetObjectCommand({ Bucket: 'data', Key: 'changing' }));
    const swapped = await between(async (answer, count) => {
      if (count === 1) await put('changing', randomBytes(2 * MIB));
      return { bytes: answer.subarray(0, count === 1 ? MIB : undefined), cut: count === 1 };
    });
    await expect(
      download(
        s3Client(swapped.account),
        { bucket: 'data', key: 'changing', ours: false },
        join(folder, 'one'),
        { most: Infinity },
      ),
    ).rejects.toThrow(/precondition/i);
    swapped.server.close();
    expect(
      (await client.send(new HeadObjectCommand({ Bucket: 'data', Key: 'changing' }))).ETag,
    ).not.toBe(ETag);
    const flipped = await between(async (answer) => ({
      bytes: Buffer.from(answer.map((byte, index) => (index === 1000 ? byte ^ 1 : byte))),
      cut: false,
    }));
    await expect(
      download(
        s3Client(flipped.account),
        { bucket: 'data', key: 'changing', ours: false },
        join(folder, 'two'),
        { most: Infinity },
      ),
    ).rejects.toThrow('was received with another MD5');
    flipped.server.close();
  });
});
