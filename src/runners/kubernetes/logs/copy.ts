import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { Cluster } from '../cluster.ts';
import { ClusterRefusal } from '../refusal.ts';
import { copiedIn, unreadPart } from './resume.ts';

const NOT_YET = 400;
const MISSING = 404;

type Copy = {
  readonly pod: string;
  readonly container: string;
  /** of this machine */ readonly file: string;
  /** bytes in all */ readonly most: number;
  readonly follow: boolean;
  readonly signal?: AbortSignal;
};

/**
 * Copies a container's log to a file. The copy skips what the file has already, so another process
 * can continue an interrupted copy. A container that has no log yet, or is gone, has none to copy.
 *
 * @returns false when there was more than `most` bytes
 * @throws ClusterRefusal, or an error of the connection
 */
export async function copyLog(cluster: Pick<Cluster, 'log'>, copy: Copy): Promise<boolean> {
  const { pod, container, follow, signal } = copy;
  const file = await open(copy.file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const stream = await cluster.log(pod, container, follow);
    const stop = (): void => void stream.destroy();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      return await append(file, stream, copy);
    } finally {
      signal?.removeEventListener('abort', stop);
      stream.destroy();
    }
  } catch (error) {
    if (error instanceof ClusterRefusal && (error.status === NOT_YET || error.status === MISSING))
      return true;
    throw error;
  } finally {
    await file.close();
  }
}

async function append(
  file: FileHandle,
  stream: AsyncIterable<unknown>,
  { most }: Copy,
): Promise<boolean> {
  const copied = await copiedIn(file);
  // Two copies at the same time write the same bytes to the same places.
  let at = copied.size;
  for await (const fresh of unreadPart(bytesOf(stream), copied)) {
    const fitting = fresh.subarray(0, Math.max(0, most - at));
    if (fitting.length > 0) await file.write(fitting, 0, fitting.length, at);
    at += fitting.length;
    if (fitting.length < fresh.length) return false;
  }
  return true;
}

async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const piece of stream) {
    if (!Buffer.isBuffer(piece)) throw new Error('a log is read as bytes');
    yield piece;
  }
}
