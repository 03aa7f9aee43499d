import type { Principal } from '../../identity/principal.ts';
import { whoseQuota, quotasOf } from '../../quotas/scopes.ts';
import type { StoredBytes } from '../../planner/record/stored-bytes.ts';
import type { Site } from '../../site/site.ts';
import { Problem } from '../../words/problem.ts';

/** Old records are purged all the time, so room comes soon. */
const RETRY_S = 600;
const MEBIBYTE = 2 ** 20;

/**
 * @param bytes an estimate of what will be kept
 * @throws Problem `too-much-stored` (429) with the quota that is used up
 */
export type RoomToKeep = (principal: Principal, bytes: number) => Promise<void>;

/** Bytes of a record besides the document: the inputs of the rules, an offer and its hold. */
const BESIDE = 2000;

/** An estimate of the size of a record with this document. */
export function recordBytes(document: unknown): number {
  return BESIDE + (JSON.stringify(document)?.length ?? 0);
}

export function openRoomToKeep(site: () => Site, stored: StoredBytes): RoomToKeep {
  return async (principal, bytes) => {
    const excess = await stored.excess(quotasOf(site().quotas, principal), bytes);
    if (excess === undefined) return;
    const [used, limit] = [excess.used, excess.limit].map(
      (bytes) => `${Math.ceil(bytes / MEBIBYTE)} MiB`,
    );
    throw new Problem(
      'too-much-stored',
      `The records of earlier asks take ${used}; the quota for ` +
        `${whoseQuota(excess.scope)} is ${limit}. Old records are removed in time: try again ` +
        `in ${RETRY_S} s, or ask with smaller documents.`,
      { headers: { 'Retry-After': `${RETRY_S}` } },
    );
  };
}
