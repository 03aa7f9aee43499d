import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { answerTooLarge } from '../fetch/get.ts';
import { isRecord } from '../words/record.ts';
import { etagger } from './digest.ts';

/**
 * What to download. `ours`: we uploaded it, so its parts have our sizes and their MD5s are known.
 */
type Wanted = { readonly bucket: string; readonly key: string; readonly ours: boolean };

/** How much may be copied, bytes, and who ends it early. */
export type CopyTerms = { readonly most: number; readonly signal?: AbortSignal | undefined };

/** The most consecutive connections that may end without any data. */
const MOST_FRUITLESS = 5;
const PAUSE_MS = 100;

/** The beginning of a response with an object. */
type Sent = {
  readonly body: Readable;
  readonly etag: string;
  readonly size: number;
  readonly isMd5: boolean;
};

/** The part of an object that was received. */
type Progress = { done: number; readonly digest: ReturnType<typeof etagger> };

/**
 * Downloads one object to a new file and creates its directories. A connection that breaks is
 * resumed as long as the object is unchanged. The contents are checked against the MD5 of the
 * service, if it has one.
 *
 * @returns its bytes
 * @throws FetchFailure if it is larger than it may be: the list may be older, or wrong
 * @throws Error of the service, or if the contents differ from the stored ones
 */
export async function download(
  client: S3Client,
  wanted: Wanted,
  path: string,
  { most, signal }: CopyTerms,
): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    const first = await ask(client, wanted, undefined, signal);
    if (first.size > most) {
      first.body.destroy();
      throw answerTooLarge({ bytes: most });
    }
    const progress: Progress = { done: 0, digest: etagger(first.size) };
    for (
      let sent = first, fruitless = 0;
      ;
      sent = await ask(client, wanted, { etag: first.etag, from: progress.done }, signal)
    ) {
      const before = progress.done;
      const error: unknown = await take(sent.body, file, progress, first.size).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      if (isOfDisc(error)) throw error;
      signal?.throwIfAborted();
      if (progress.done >= first.size) break;
      fruitless = progress.done > before ? 0 : fruitless + 1;
      if (fruitless === MOST_FRUITLESS)
        throw new Error(`s3: ${wanted.bucket}/${wanted.key} was cut off ${MOST_FRUITLESS} times`, {
          cause: error,
        });
      await delay(PAUSE_MS * 2 ** fruitless);
    }
    checkContents(wanted, first, progress);
    return progress.done;
  } finally {
    await file.close();
  }
}

/** The options of a request that a signal ends. */
export function endedBy(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

/** @param rest the object, and the first byte to send; undefined: all of it */
async function ask(
  client: S3Client,
  { bucket: Bucket, key: Key }: Wanted,
  rest: { readonly etag: string; readonly from: number } | undefined,
  signal: AbortSignal | undefined,
): Promise<Sent> {
  const more = rest === undefined ? {} : { Range: `bytes=${rest.from}-`, IfMatch: rest.etag };
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, ...more }), endedBy(signal));
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
    throw new Error(`s3: ${Bucket}/${Key} was cut off, and the service does not send the rest`);
  if (signal !== undefined) addAbortSignal(signal, body);
  // Under a key of a key service or of the client an ETag is not an MD5.
  return {
    body,
    etag,
    size,
    isMd5: customer === undefined && (encryption === undefined || encryption === 'AES256'),
  };
}

/** @param size what was announced; nothing is written beyond that */
async function take(
  body: Readable,
  file: FileHandle,
  progress: Progress,
  size: number,
): Promise<void> {
  for await (const bytes of body) {
    if (!(bytes instanceof Uint8Array)) throw new TypeError('s3: the contents are not bytes');
    if (progress.done + bytes.length > size) {
      progress.done = Infinity;
      return;
    }
    for (let from = 0; from < bytes.length;)
      from += (await file.write(bytes, from, bytes.length - from, progress.done + from))
        .bytesWritten;
    progress.digest.update(bytes);
    progress.done += bytes.length;
  }
}

/** Is it an error of the disc? Another attempt would fail, too. */
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
    throw new Error(`s3: ${bucket}/${key} was received with another MD5 than it is stored with`);
}
