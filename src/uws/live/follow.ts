import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How often to look at a file that another process writes, perhaps on another machine: network file
 * systems do not report changes.
 */
const LOOK_MS = 200;
const CHUNK = 64 * 1024;

/** How long to follow a file. */
export type Course = {
  /** true after the last write */
  readonly isOver: () => boolean;
  /** resolves when `isOver` may have become true */
  readonly over: Promise<unknown>;
};

/** Opens a regular file. @returns undefined when there is none of that name */
export async function openPlain(path: string): Promise<FileHandle | undefined> {
  const file = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  ).catch(() => undefined);
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}

/**
 * Yields the bytes of a file from an offset on, and then what its writer appends until the course
 * is over. Waits for a file that does not exist yet.
 *
 * @param from offset of the first byte
 * @param most largest number of bytes
 */
export async function* follow(
  path: string,
  from: number,
  most: number,
  { isOver, over }: Course,
): AsyncGenerator<Buffer> {
  const end = from + most;
  let at = from;
  let file: FileHandle | undefined;
  try {
    for (;;) {
      // Ask before reading, so that the last read sees all that was written before the end.
      const last = isOver();
      file ??= await openPlain(path);
      if (file !== undefined) {
        for await (const bytes of read(file, at, end)) {
          at += bytes.length;
          yield bytes;
        }
      }
      if (last || at >= end) return;
      await pause(over);
    }
  } finally {
    await file?.close();
  }
}

/** Yields what the file has between two offsets now. */
async function* read(file: FileHandle, from: number, end: number): AsyncGenerator<Buffer> {
  for (let at = from; at < end;) {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(Math.min(CHUNK, end - at)),
      0,
      undefined,
      at,
    );
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Waits until the next look. */
async function pause(over: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  await Promise.race([
    over,
    sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined),
  ]);
  stop.abort();
}
