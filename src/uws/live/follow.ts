import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A file that is written by somebody else, perhaps on another machine: network file systems report
 * no changes, so it is looked at.
 */
const LOOK_MS = 200;
const CHUNK = 64 * 1024;

/** What is told from outside while a file is followed. */
export type Course = {
  /** true once nothing more is written */
  readonly isOver: () => boolean;
  /** resolves when `isOver` may have become true */
  readonly over: Promise<unknown>;
};

/** @returns undefined when there is no such file, or something else by that name. */
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
 * Gives what is in a file from a place on, and what is written to it until its course is over. A
 * file that is not there yet is awaited.
 *
 * @param from first byte
 * @param most bytes; then it ends
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
      // Asked before reading: what was written before the end is still read.
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

/** What is between two places of a file now. */
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

/** Resolves when it is time to look again. */
async function pause(over: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  await Promise.race([
    over,
    sleep(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined),
  ]);
  stop.abort();
}
