import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DeleteObjectsCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ObjectId } from '../words/ids.ts';
import { isRecord } from '../words/record.ts';
import type { StorageBackend } from './backend.ts';
import { etagOf } from './digest.ts';
import { hasDotStep, LONGEST_KEY } from './names.ts';
import { download, endedBy, type CopyTerms } from './s3-download.ts';
import { keysOf, type ListedObject } from './s3-list.ts';
import { abandon, unfinishedUploads, upload } from './s3-upload.ts';
import { filesWithin, LEAST_OF_FILE } from './tree.ts';

/** An S3 service with its keys; without keys requests are anonymous. */
export type S3Account = {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
};

const DELETED_AT_ONCE = 1000;

/**
 * Milliseconds for a connection, and in which something must come or go: a service that is cut off
 * in the midst of a copy would keep the job for ever. Putting a large object together takes minutes.
 */
const PATIENCE = { connectionTimeout: 10_000, socketTimeout: 300_000 };

/**
 * Both are needed: without credentials the SDK searches its environment, and with empty ones it
 * signs.
 */
const ANONYMOUS = {
  credentials: { accessKeyId: '', secretAccessKey: '' },
  signer: { sign: async <Request>(request: Request) => request },
};

/**
 * A client for one service. `WHEN_REQUIRED`: Swift and other servers refuse the checksums that the
 * SDK adds by default.
 */
export function s3Client(
  { endpoint, region, credentials }: S3Account,
  patience: typeof PATIENCE = PATIENCE,
): S3Client {
  return addMd5(
    new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      maxAttempts: 5,
      requestHandler: patience,
      disableS3ExpressSessionAuth: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(credentials === undefined ? ANONYMOUS : { credentials }),
    }),
  );
}

/**
 * The number and the bytes of the objects below a prefix, or of a single object. It asks the
 * service and downloads nothing.
 *
 * @param terms of a list that is longer, the rest is not asked for
 */
export async function bytesBelow(
  client: S3Client,
  bucket: string,
  what: { readonly object: string } | { readonly prefix: string },
  { most, signal }: CopyTerms,
): Promise<{ readonly objects: number; readonly bytes: number }> {
  if ('object' in what) {
    const head = new HeadObjectCommand({ Bucket: bucket, Key: what.object });
    return { objects: 1, bytes: (await client.send(head, endedBy(signal))).ContentLength ?? 0 };
  }
  let [objects, bytes] = [0, 0];
  for await (const { size } of keysOf(client, bucket, what.prefix, signal)) {
    objects += 1;
    bytes += size > LEAST_OF_FILE ? size : LEAST_OF_FILE;
    if (bytes > most) break;
  }
  return { objects, bytes };
}

/**
 * Downloads everything below a prefix, except keys that lead out of the directory.
 *
 * @param ours whether we uploaded it
 * @returns how many objects, and how many with contents were left out
 */
export async function downloadAll(
  client: S3Client,
  bucket: string,
  prefix: string,
  directory: string,
  { most, signal, ours = false }: CopyTerms & { readonly ours?: boolean },
): Promise<{ readonly copied: number; readonly leftOut: number }> {
  let [copied, leftOut, left] = [0, 0, most];
  for await (const { key, size } of keysOf(client, bucket, prefix, signal)) {
    const path = key.slice(prefix.length).replace(/^\//, '');
    if (!isSafe(path)) {
      leftOut += size > 0 ? 1 : 0;
      continue;
    }
    const wanted = { bucket, key, ours };
    left -= await download(client, wanted, join(directory, path), { most: left, signal });
    copied += 1;
  }
  return { copied, leftOut };
}

/**
 * Managed storage in a bucket: objects with keys `<prefix><object id>/<path>`. A save uploads new
 * and changed files before it deletes old ones, so that an interrupted one loses nothing and the
 * next one continues.
 */
export function s3Backend(account: S3Account, bucket: string, prefix: string): StorageBackend {
  const client = s3Client(account);
  const below = (object: ObjectId): string => `${prefix}${object}`;

  const remove = async (keys: readonly string[]): Promise<void> => {
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      const Objects = keys.slice(from, from + DELETED_AT_ONCE).map((Key) => ({ Key }));
      const { Errors = [] } = await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
      );
      if (Errors[0] !== undefined)
        throw new Error(
          `s3: ${bucket}/${Errors[0].Key} could not be deleted: ${Errors[0].Message}`,
        );
    }
  };

  const stored = async (object: ObjectId): Promise<ReadonlyMap<string, ListedObject>> => {
    const found = new Map<string, ListedObject>();
    for await (const one of keysOf(client, bucket, below(object))) found.set(one.key, one);
    return found;
  };

  /** Aborts incomplete uploads of large files. */
  const tidy = async (object: ObjectId): Promise<void> =>
    abandon(client, await unfinishedUploads(client, bucket, below(object)));

  return {
    load: async (object, directory, signal) => {
      const terms = { most: Infinity, ours: true, signal };
      await downloadAll(client, bucket, below(object), directory, terms);
    },
    save: async (object, directory, size, owner) => {
      const files = await filesWithin(directory, size, owner);
      const keyOf = (path: string): string => `${below(object)}/${path}`;
      for (const { path } of files) checkKey(keyOf(path), path);
      const before = await stored(object);
      for (const { path, size: bytes } of files) {
        const there = before.get(keyOf(path));
        const file = join(directory, path);
        if (there?.size !== bytes || there.etag !== (await etagOf(file, bytes)))
          await upload(client, file, bytes, bucket, keyOf(path));
      }
      const currentKeys = new Set(files.map(({ path }) => keyOf(path)));
      await remove([...before.keys()].filter((key) => !currentKeys.has(key)));
      await tidy(object);
    },
    release: async (object) => {
      await remove([...(await stored(object)).keys()]);
      await tidy(object);
    },
  };
}

/** Services without the SDK's own checksums require an MD5 of a delete request. */
function addMd5(client: S3Client): S3Client {
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { request } = args;
        if (
          commandName === 'DeleteObjectsCommand' &&
          isRecord(request) &&
          isRecord(request['headers'])
        ) {
          Object.assign(request['headers'], {
            'content-md5': hash('md5', String(request['body']), 'base64'),
          });
        }
        return next(args);
      },
    { step: 'build', priority: 'low' },
  );
  return client;
}

/** What XML 1.0 cannot say: services cannot list such a key, or take it in a list to delete. */
const UNSAID = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** @throws Error if a file cannot be an object, before the first one is uploaded */
function checkKey(key: string, path: string): void {
  if (UNSAID.test(path))
    throw new Error(`a name in it has a character that S3 cannot list: ${JSON.stringify(path)}`);
  if (Buffer.byteLength(key) > LONGEST_KEY)
    throw new Error(`a name in it is too long for S3: ${path.slice(0, 100)}…`);
}

/** Does the key stay inside the directory? Anybody may have chosen it. */
function isSafe(path: string): boolean {
  return (
    path !== '' &&
    !path.includes('\0') &&
    !hasDotStep(path) &&
    !path.split('/').includes('') &&
    path.length < 1024
  );
}
