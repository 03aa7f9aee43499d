import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { endedBy } from './s3-download.ts';

/** An object in the list of a bucket; `size` in bytes. */
export type ListedObject = { readonly key: string; readonly size: number; readonly etag: string };

/**
 * The objects of a bucket whose keys begin with `prefix`.
 *
 * @throws Error for half a list, or no list: without the rest a job would have a part of its data
 */
export async function* keysOf(
  client: S3Client,
  bucket: string,
  prefix: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedObject> {
  for (let token: string | undefined; ;) {
    const {
      Name,
      Contents = [],
      IsTruncated,
      NextContinuationToken: next,
    } = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken: token }),
      endedBy(signal),
    );
    // The SDK reads a page of HTML as an empty list.
    if (Name === undefined && IsTruncated === undefined)
      throw new Error(`s3: what the service sent is no list of ${bucket}`);
    for (const { Key, Size, ETag } of Contents)
      if (Key !== undefined)
        yield { key: Key, size: Size ?? 0, etag: (ETag ?? '').replaceAll('"', '') };
    if (IsTruncated !== true) return;
    if (next === undefined || next === token)
      throw new Error(`s3: the list of ${bucket} goes on, and the service does not say where`);
    token = next;
  }
}
