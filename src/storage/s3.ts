import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DeleteObjectsCommand, GetObjectCommand, HeadObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { ObjectId } from '../words/ids.ts';
import type { StorageBackend } from './backend.ts';
import { S3_TYPE } from './place.ts';
import { filesWithin, readFileStream } from './tree.ts';

/** An S3 service and what opens it; without keys requests are anonymous. */
export type S3Account = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
};

/** Part of a multipart upload; S3 takes 10,000 of them, so that a file may have 160 GB. */
const PART = 16 * 2 ** 20;
const AT_ONCE = 4;
const DELETED_AT_ONCE = 1000;

/** A client for one service. `WHEN_REQUIRED`: Swift and other servers refuse the checksums that the SDK adds on its own. */
export const s3Client = ({ endpoint, region, credentials }: S3Account): S3Client =>
  new S3Client({
    endpoint, region, forcePathStyle: true, maxAttempts: 5,
    requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED',
    ...(credentials === undefined ? { signer: { sign: async (request) => request } } : { credentials }),
  });

/** Keys of a bucket that begin with `prefix`, with their sizes in bytes. */
export async function* keysOf(client: S3Client, bucket: string, prefix: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
    for (const { Key, Size } of page.Contents ?? []) if (Key !== undefined) yield { key: Key, size: Size ?? 0 };
  }
}

/** A key of a bucket is somebody's text: it must not lead out of the directory that it is written to. */
const isSafe = (path: string): boolean =>
  path !== '' && !path.includes('\0') && !path.split('/').some((step) => step === '..' || step === '.' || step === '') && path.length < 1024;

/** Bytes of one object, or of all below a prefix; the service is asked, nothing is downloaded. */
export const sizeOf = async (client: S3Client, bucket: string, what: { readonly object: string } | { readonly prefix: string }): Promise<number> => {
  if ('object' in what) return (await client.send(new HeadObjectCommand({ Bucket: bucket, Key: what.object }))).ContentLength ?? 0;
  let bytes = 0;
  for await (const { size } of keysOf(client, bucket, what.prefix)) bytes += size;
  return bytes;
};

/** Downloads one object to a file; directories on the way are made. */
export const download = async (client: S3Client, bucket: string, key: string, file: string): Promise<void> => {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  if (!(Body instanceof Readable)) throw new Error(`s3: ${bucket}/${key} has no contents`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await pipeline(Body, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
};

/** Downloads everything below a prefix; what would lead out of the directory is left out. */
export const downloadAll = async (client: S3Client, bucket: string, prefix: string, directory: string): Promise<void> => {
  for await (const { key } of keysOf(client, bucket, prefix)) {
    const path = key.slice(prefix.length).replace(/^\//, '');
    if (isSafe(path)) await download(client, bucket, key, join(directory, path));
  }
};

/**
 * Managed storage in a bucket: objects with keys `<prefix><object id>/<path>`. A save uploads first and then deletes what
 * is no longer there, so that an interrupted one loses nothing.
 */
export const s3Backend = (account: S3Account, bucket: string, prefix: string): StorageBackend => {
  const client = s3Client(account);
  const below = (object: ObjectId): string => `${prefix}${object}`;

  const remove = async (keys: readonly string[]): Promise<void> => {
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      const Objects = keys.slice(from, from + DELETED_AT_ONCE).map((Key) => ({ Key }));
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }));
      if (Errors[0] !== undefined) throw new Error(`s3: ${bucket}/${Errors[0].Key} could not be deleted: ${Errors[0].Message}`);
    }
  };

  const stored = async (object: ObjectId): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const { key } of keysOf(client, bucket, below(object))) keys.push(key);
    return keys;
  };

  const upload = async (file: string, Key: string): Promise<void> => {
    await new Upload({ client, params: { Bucket: bucket, Key, Body: await readFileStream(file) }, partSize: PART, queueSize: AT_ONCE }).done();
  };

  return {
    type: S3_TYPE,
    endpoint: `${account.endpoint.replace(/\/+$/, '')}/${bucket}`,
    load: (object, directory) => downloadAll(client, bucket, below(object), directory),
    save: async (object, directory, size, owner) => {
      const files = await filesWithin(directory, size, owner);
      const keyOf = (path: string): string => `${below(object)}/${path}`;
      for (const { path } of files) await upload(join(directory, path), keyOf(path));
      const kept = new Set(files.map(({ path }) => keyOf(path)));
      await remove((await stored(object)).filter((key) => !kept.has(key)));
    },
    release: async (object) => remove(await stored(object)),
  };
};
