import { v7 } from 'uuid';

const RANDOM_BYTES = 16;
const random = new Uint8Array(128 * RANDOM_BYTES);
let used = random.length;

/**
 * A new UUID that sorts by time. Fetches random bytes for 128 at once, because a fetch costs more
 * than the rest.
 */
export function newUuid(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  used += RANDOM_BYTES;
  return v7({ random: random.subarray(used - RANDOM_BYTES, used) });
}

/** When a UUID v7 was made, in milliseconds since 1970. */
export function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}
