import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readlink, type FileHandle } from 'node:fs/promises';

const SMALLEST_PART = 16 * 2 ** 20;
const MOST_PARTS = 10_000;

/**
 * Bytes of one part of a multipart upload: 16 MiB, or more if S3's limit of 10,000 parts needs it.
 */
export function partSizeOf(size: number): number {
  return Math.max(SMALLEST_PART, Math.ceil(size / MOST_PARTS / 2 ** 20) * 2 ** 20);
}

/**
 * Opens a file for reading; fails if it is a link, or one of the folders on the way to it is. Asks
 * what was opened: whoever can write to a folder may make it a link between a look and the opening.
 *
 * @param path the real path
 */
export async function openRegular(path: string): Promise<FileHandle> {
  // What has become a FIFO does not hold us: it is opened at once, and reads as an empty file.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const opened = await readlink(`/proc/self/fd/${file.fd}`).catch(() => undefined);
  if (opened === path) return file;
  await file.close();
  throw new Error('a folder was moved or became a link while its files were stored');
}

/** @returns `length` bytes from `from`. @throws Error if the file has become shorter */
export async function readPart(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(buffer, done, length - done, from + done);
    if (bytesRead === 0) throw new Error('a file became shorter while it was stored');
    done += bytesRead;
  }
  return buffer;
}

/** MD5 of some bytes, in the form of S3's ETags. */
export function md5Of(bytes: Buffer): string {
  return hash('md5', bytes);
}

/** Computes the ETags of an object from its bytes in order. */
export function etagger(size: number) {
  const whole = createHash('md5');
  const partSize = partSizeOf(size);
  const parts: string[] = [];
  let part = createHash('md5');
  let room = partSize;
  const closePart = (): void => {
    parts.push(part.digest('hex'));
    part = createHash('md5');
    room = partSize;
  };
  return {
    update: (bytes: Uint8Array): void => {
      whole.update(bytes);
      for (let from = 0; from < bytes.length;) {
        const piece = bytes.subarray(from, from + room);
        part.update(piece);
        from += piece.length;
        room -= piece.length;
        if (room === 0) closePart();
      }
    },
    /** its ETags if uploaded at once, and if uploaded in our parts; call it once */
    etags: (): { readonly whole: string; readonly inParts: string } => {
      if (room < partSize || parts.length === 0) closePart();
      return { whole: whole.digest('hex'), inParts: joined(parts) };
    },
  };
}

/** The ETag of a file after its upload. */
export async function etagOf(path: string, size: number): Promise<string> {
  const file = await openRegular(path);
  try {
    const digest = etagger(size);
    const step = partSizeOf(size);
    for (let from = 0; from < size; from += step)
      digest.update(await readPart(file, from, Math.min(step, size - from)));
    const { whole, inParts } = digest.etags();
    return size <= step ? whole : inParts;
  } finally {
    await file.close();
  }
}

/** The ETag of a multipart upload: the MD5 of the parts' MD5s, and their number. */
function joined(parts: readonly string[]): string {
  return `${md5Of(Buffer.from(parts.join(''), 'hex'))}-${parts.length}`;
}
