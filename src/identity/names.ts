import type { Database } from '../db/client.ts';
import type { Principal } from './principal.ts';
import { identityOf } from './principal.ts';
import { Remembered } from './remembered.ts';

const MOST_REMEMBERED = 10_000;
const AGAIN_MS = 24 * 3_600_000;

/** Keeps the name by which an issuer's user is known now. */
export type UserNames = { readonly keep: (principal: Principal) => Promise<void> };

/**
 * Names of issuers' users, for whoever reads the owner of a job later: the owner
 * column has the subject only. Written when this process sees a user for the first
 * time, under another name, or a day later.
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
