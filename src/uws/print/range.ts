import type { IncomingMessage } from 'node:http';

/**
 * Makes the Range of a request one that `range-parser` reads as RFC 9110 does: only GET has one (§
 * 14.2), and the last 9 bytes of 5 are all of them (§ 14.1.2).
 */
export function mendRange({ method, headers }: IncomingMessage, size: number): void {
  if (method !== 'GET') delete headers.range;
  const last = /^bytes=-(\d+)$/.exec(headers.range ?? '')?.[1];
  if (Number(last) >= size && size > 0) headers.range = 'bytes=0-';
}
