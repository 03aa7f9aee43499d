import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { isRecord } from '../words/record.ts';
import { etagger } from './digest.ts';

/**
 * What to download, and whether we uploaded it: then its parts are as we make
 * them, and their MD5s are known.
 */
export type Wanted = { readonly bucket: string; readonly key: string; readonly ours: boolean };

/** Connections that end before they bring anything, one after the other. */
const MOST_FRUITLESS = 5;
const PAUSE_MS = 100;

/** An object as the service begins to send it. */
type Sent = {
  readonly body: Readable;
  readonly etag: string;
  readonly size: number;
  readonly isMd5: boolean;
};

/** What has come of an object. */
type Progress = { done: number; readonly digest: ReturnType<typeof etagger> };

/**
 * Downloads one object to a new file; directories on the way are made. A connection that ends too
 * soon is taken up where it ended, as long as the object is the same. What came is held against the
 * MD5 that the service says, if it says one.
 *
 * @throws Error of the service, or when the contents are not those that are stored
 */
export async function download(client: S3Client, wanted: Wanted, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    const first = await ask(client, wanted, undefined);
    const progress: Progress = { done: 0, digest: etagger(first.size) };
    for (
      let sent = first, fruitless = 0;
      ;
      sent = await ask(client, wanted, { etag: first.etag, from: progress.done })
    ) {
      const before = progress.done;
      const error: unknown = await take(sent.body, file, progress).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      if (isOfDisc(error)) throw error;
      if (progress.done >= first.size) break;
      fruitless = progress.done > before ? 0 : fruitless + 1;
      if (fruitless === MOST_FRUITLESS)
        throw new Error(
          `s3: ${wanted.bucket}/${wanted.key} came to an end too soon, again and again`,
          { cause: error },
        );
      await delay(PAUSE_MS * 2 ** fruitless);
    }
    checkContents(wanted, first, progress);
  } finally {
    await file.close();
  }
}

/** @param rest the object, and from which byte on it is wanted; undefined: all of it */
async function ask(
  client: S3Client,
  { bucket: Bucket, key: Key }: Wanted,
  rest: { readonly etag: string; readonly from: number } | undefined,
): Promise<Sent> {
  const more = rest === undefined ? {} : { Range: `bytes=${rest.from}-`, IfMatch: rest.etag };
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, ...more }));
  const {
    Body: body,
    ETag: etag = '',
    ContentLength: size = 0,
    ContentRange,
    ServerSideEncryption: encryption,
    SSECustomerAlgorithm: customer,
  } = answer;
  if (!(body instanceof Readable)) throw new Error(`s3: ${Bucket}/${Key} has no contents`);
  if (rest !== undefined && ContentRange === undefined)
    throw new Error(
      `s3: ${Bucket}/${Key} came to an end too soon, and the service sends no rest of it`,
    );
  // With keys of a key service or of the client an ETag is something else.
  return {
    body,
    etag,
    size,
    isMd5: customer === undefined && (encryption === undefined || encryption === 'AES256'),
  };
}

async function take(body: Readable, file: FileHandle, progress: Progress): Promise<void> {
  for await (const bytes of body) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('s3: contents that are no bytes');
    for (let from = 0; from < bytes.length;)
      from += (await file.write(bytes, from, bytes.length - from, progress.done + from))
        .bytesWritten;
    progress.digest.update(bytes);
    progress.done += bytes.length;
  }
}

/** A disc that is full stays full. */
function isOfDisc(error: unknown): boolean {
  return isRecord(error) && error['syscall'] === 'write';
}

function checkContents(
  { bucket, key, ours }: Wanted,
  { etag, size, isMd5 }: Sent,
  { done, digest }: Progress,
): void {
  const { whole, inParts } = digest.etags();
  const said = etag.replaceAll('"', '');
  const known = /^[0-9a-f]{32}$/.test(said)
    ? whole
    : ours && /^[0-9a-f]{32}-\d+$/.test(said)
      ? inParts
      : said;
  if (done !== size || (isMd5 && known !== said))
    throw new Error(
      `s3: what came of ${bucket}/${key} is not what is stored there: its MD5 is another`,
    );
}
