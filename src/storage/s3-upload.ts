import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { isRecord } from '../words/record.ts';
import { md5Of, openRegular, partSizeOf, readPart } from './digest.ts';

/** The object that a file becomes. */
type Target = { readonly Bucket: string; readonly Key: string };
type Pending = Target & { readonly UploadId: string };
type Part = { readonly PartNumber: number; readonly ETag: string };

/** Parts of one file that are sent at the same time, each of them in memory. */
const AT_ONCE = 4;

/** Incomplete uploads below a prefix, the latest first. */
export async function unfinishedUploads(
  client: S3Client,
  Bucket: string,
  Prefix: string,
): Promise<readonly Pending[]> {
  try {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
    return Uploads.toSorted(
      (one, other) => Number(other.Initiated ?? 0) - Number(one.Initiated ?? 0),
    ).flatMap(({ Key, UploadId }) =>
      Key === undefined || UploadId === undefined ? [] : [{ Bucket, Key, UploadId }],
    );
  } catch (error) {
    if (isUnknown(error)) return [];
    throw error;
  }
}

/** Aborts uploads, so that their parts take no space. */
export async function abandon(client: S3Client, uploads: readonly Pending[]): Promise<void> {
  for (const upload of uploads) await client.send(new AbortMultipartUploadCommand(upload));
}

/**
 * Uploads a file, in parts if it is large. The service checks every part against its MD5. Parts of
 * an earlier, interrupted upload of the same file are not sent again.
 *
 * @param size bytes of the file
 */
export function upload(
  client: S3Client,
  path: string,
  size: number,
  bucket: string,
  key: string,
): Promise<void> {
  const target = { Bucket: bucket, Key: key };
  return size <= partSizeOf(size)
    ? uploadWhole(client, path, size, target)
    : uploadParts(client, path, size, target);
}

/** Small servers cannot list incomplete uploads; they count as none. */
function isUnknown(error: unknown): boolean {
  return (
    isRecord(error) &&
    isRecord(error['$metadata']) &&
    [404, 405, 501].includes(Number(error['$metadata']['httpStatusCode']))
  );
}

async function uploadWhole(
  client: S3Client,
  path: string,
  size: number,
  target: Target,
): Promise<void> {
  const file = await openRegular(path);
  try {
    const Body = await readPart(file, 0, size);
    await client.send(new PutObjectCommand({ ...target, Body, ContentMD5: base64(md5Of(Body)) }));
  } finally {
    await file.close();
  }
}

function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

async function uploadParts(
  client: S3Client,
  path: string,
  size: number,
  target: Target,
): Promise<void> {
  const [earlier, ...others] = (await unfinishedUploads(client, target.Bucket, target.Key)).filter(
    ({ Key }) => Key === target.Key,
  );
  await abandon(client, others);
  const upload = earlier ?? (await begin(client, target));
  const there = earlier === undefined ? new Map<number, string>() : await partsOf(client, earlier);
  const step = partSizeOf(size);
  const numbers = Array.from({ length: Math.ceil(size / step) }, (_, index) => index + 1).values();
  const done: Part[] = [];
  const file = await openRegular(path);
  const work = async (): Promise<void> => {
    for (const PartNumber of numbers) {
      const from = (PartNumber - 1) * step;
      const Body = await readPart(file, from, Math.min(step, size - from));
      const md5 = md5Of(Body);
      const ETag =
        there.get(PartNumber) === md5
          ? md5
          : plain(
              (
                await client.send(
                  new UploadPartCommand({ ...upload, PartNumber, Body, ContentMD5: base64(md5) }),
                )
              ).ETag,
            );
      done.push({ PartNumber, ETag });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    await file.close();
  }
  const Parts = done
    .toSorted((one, other) => one.PartNumber - other.PartNumber)
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag: `"${ETag}"` }));
  await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
}

async function begin(client: S3Client, target: Target): Promise<Pending> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target));
  if (UploadId === undefined)
    throw new Error(`s3: ${target.Bucket}/${target.Key} could not be started`);
  return { ...target, UploadId };
}

/** The MD5s of the parts of an incomplete upload, by number. */
async function partsOf(client: S3Client, upload: Pending): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  // The SDK's own paginator never ends: services repeat the marker of the last page.
  for (let PartNumberMarker: string | undefined; ;) {
    const {
      Parts = [],
      IsTruncated,
      NextPartNumberMarker,
    } = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker }));
    for (const { PartNumber, ETag } of Parts)
      if (PartNumber !== undefined) found.set(PartNumber, plain(ETag));
    if (IsTruncated !== true || NextPartNumberMarker === undefined) return found;
    PartNumberMarker = NextPartNumberMarker;
  }
}

function plain(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}
