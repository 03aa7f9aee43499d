import type { Principal } from '../../identity/principal.ts';
import { whoseQuota, quotasOf } from '../../quotas/scopes.ts';
import type { StoredBytes } from '../../planner/record/stored-bytes.ts';
import type { Site } from '../../site/site.ts';
import { Problem } from '../../words/problem.ts';

/** The oldest records go all the time; whoever keeps asking need not be answered more often. */
const RETRY_S = 600;
const MEBIBYTE = 2 ** 20;

/**
 * Throws where nothing more may be kept for somebody.
 * @param bytes about as much as is to be kept
 */
export type RoomToKeep = (principal: Principal, bytes: number) => Promise<void>;

/**
 * What stands in a record beside the document: what the rules were given, an offer and its hold.
 */
const BESIDE = 2000;

/** About as much as a record with this document takes. */
export function recordBytes(document: unknown): number {
  return BESIDE + (JSON.stringify(document)?.length ?? 0);
}

/** @throws Problem `too-much-stored` (429) with the quota that is used up */
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
        `${whoseQuota(excess.scope)} is ${limit}. The oldest go with their age: try again ` +
        `in ${RETRY_S} s, or ask with smaller documents.`,
      { headers: { 'Retry-After': `${RETRY_S}` } },
    );
  };
}
