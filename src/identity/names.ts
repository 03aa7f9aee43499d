import type { Database } from '../db/client.ts';
import type { Principal } from './principal.ts';
import { identityOf } from './principal.ts';
import { Remembered } from './remembered.ts';

const MOST_REMEMBERED = 10_000;
const AGAIN_MS = 24 * 3_600_000;

/** Keeps the current name of an issuer's user. */
export type UserNames = { readonly keep: (principal: Principal) => Promise<void> };

/**
 * Keeps the names of issuers' users for the readers of owner columns, which have only the subject.
 * Writes a name when this process sees the user for the first time, sees another name, or last
 * wrote it a day ago.
 *
 * @param clock milliseconds since 1970
 */
export function openNames(database: Database, clock: () => number): UserNames {
  const written = new Remembered<string>(MOST_REMEMBERED);
  return {
    keep: async (principal) => {
      if (principal.kind === 'anonymous' || identityOf(principal.owner).type !== 'oidc') return;
      const { owner, user } = principal;
      if (written.get(owner, clock()) === user) return;
      await database.$executeRaw`
        INSERT INTO identity (owner, name) VALUES (${owner}, ${user})
        ON CONFLICT (owner) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at`;
      written.set(owner, user, clock() + AGAIN_MS);
    },
  };
}
