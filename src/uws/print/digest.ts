import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** A larger file is summed up for HEAD alone: 16 MiB take 10 ms, which a GET may wait for. */
const MOST_OF_GET = 16 * 2 ** 20;
/** Each sum has 44 bytes, and its name about 150. */
const MOST_KEPT = 1000;

/** Sums by file, size and time of the last change, the one that was wanted last at the end. */
const kept = new Map<string, Promise<string>>();

/**
 * The header `Repr-Digest` of a file, for a request that wants it (RFC 9530 § 4).
 *
 * @param wanted the request's `Want-Repr-Digest`
 * @returns undefined where the request wants no SHA-256, or gets a large file with its content
 */
export async function reprDigest(
  wanted: string | undefined,
  method: string,
  path: string,
): Promise<string | undefined> {
  if (!wantsSha256(wanted)) return undefined;
  const { size, mtimeMs } = await stat(path);
  if (method !== 'HEAD' && size > MOST_OF_GET) return undefined;
  const name = `${path} ${size} ${mtimeMs}`;
  const sum = kept.get(name) ?? sha256(path);
  kept.delete(name);
  kept.set(name, sum);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  try {
    return `sha-256=:${await sum}:`;
  } catch (error) {
    kept.delete(name);
    throw error;
  }
}

/** `sha-256` with a preference above 0, which means that it is not wanted. */
function wantsSha256(wanted = ''): boolean {
  return wanted
    .split(',')
    .map((entry) => entry.trim().split('='))
    .some(([name, weight]) => name?.toLowerCase() === 'sha-256' && Number(weight) > 0);
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('base64');
}
