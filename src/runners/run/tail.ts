import { open } from 'node:fs/promises';

const DETAIL = 4096;

/** The last 4 KiB of a file as text, for an error document; empty when there is none. */
export async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, DETAIL);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8').replace(/^\u{fffd}+/u, '');
  } finally {
    await file.close();
  }
}
